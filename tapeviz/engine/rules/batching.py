"""An op on batches -> a batch of its results, so that a Jacobian takes one backward pass instead of one per row.

In the backward pass of a Jacobian every upstream gradient is a `Batch`, with a row for each number of the target. Rules
are written in ops, so it is enough to define how each op works with one more leading axis; an op for which that is not
known runs row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tapeviz.engine.nest import mapped
from tapeviz.engine.rules.rounding import Rounded, bare, is_narrow
from tapeviz.engine.rules.stand_in import StandIn


class Batch(StandIn):
    """Several values of one shape, in an array of shape (rows, *shape); `shape` and `dtype` are those of one row."""

    __slots__ = ("rows",)

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.rows.shape[1:])

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.rows.dtype


Rule = Callable[..., Any]


def apply(op: Any, operands: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """The result of an op for operands that are not tensors: arrays, stand-ins for bfloat16, and batches."""
    kinds = set(map(type, operands))
    if Rounded in kinds:
        return _rounded(apply(op, bare(operands), attributes))
    primal = op.rounded if any(map(is_narrow, operands)) else op.primal
    if Batch not in kinds:
        return primal(*operands, **attributes)
    if op.facts.batched is None:
        return row_by_row(primal, operands, attributes)
    return Batch(op.facts.batched(primal, operands, **attributes))


def _rounded(out: object) -> Any:
    """The result of an op on stand-ins for bfloat16: a stand-in itself, if it has that dtype."""
    return Rounded(out) if type(out) is not Batch and is_narrow(out) else out


def row_by_row(function: Rule, operands: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """The results of a function for each row of the batches among its operands, as a batch."""
    rows = [mapped(partial(_row, row), operands) for row in range(_count(operands) or 0)]
    return _stacked([function(*each, **attributes) for each in rows])


def _count(value: Any) -> int | None:
    """How many rows a batch has, or the first batch in a tuple; None if there is none."""
    if type(value) is Batch:
        return len(value.rows)
    counts = [_count(each) for each in value] if type(value) is tuple else []
    return next((count for count in counts if count is not None), None)


def _row(row: int, value: Any) -> Any:
    return value.rows[row] if type(value) is Batch else value


def _stacked(results: Sequence[Any]) -> Any:
    """The results of all rows, which have the same structure, as batches; None where they are None."""
    if type(results[0]) is tuple:
        return tuple([_stacked(each) for each in zip(*results, strict=True)])
    return None if results[0] is None else Batch(np.stack(results))


def aligned(primal: Rule, operands: tuple[Any, ...], **attributes: object) -> Any:
    """The batch function of ops that broadcast.

    All batches get the same rank, so that their first axes are the rows.
    """
    rank = max(np.ndim(each) if not isinstance(each, Batch) else each.ndim for each in operands)
    return primal(*[_padded(each, rank) if isinstance(each, Batch) else each for each in operands], **attributes)


def _padded(batch: Batch, rank: int) -> Any:
    return batch.rows.reshape((len(batch.rows), *(1,) * (rank - batch.ndim), *batch.shape))


def summed(primal: Rule, operands: tuple[Batch], *, shape: tuple[int, ...]) -> Any:
    """The batch function of a sum to a shape."""
    (x,) = operands
    rows, lead = len(x.rows), x.ndim - len(shape)
    return primal(x.rows, shape=(rows, *(1,) * lead, *shape)).reshape((rows, *shape))


def broadcast(primal: Rule, operands: tuple[Batch], *, shape: tuple[int, ...]) -> Any:
    """The batch function of broadcasting to a shape."""
    (x,) = operands
    return primal(_padded(x, len(shape)), shape=(len(x.rows), *shape))


def reshaped(primal: Rule, operands: tuple[Batch], *, shape: tuple[int, ...]) -> Any:
    """The batch function of a reshape."""
    (x,) = operands
    return x.rows.reshape((len(x.rows), *shape))


def transposed(primal: Rule, operands: tuple[Batch], *, perm: tuple[int, ...] | None) -> Any:
    """The batch function of a transpose."""
    (x,) = operands
    axes = tuple(reversed(range(x.ndim))) if perm is None else tuple(axis % x.ndim for axis in perm)
    return x.rows.transpose((0, *(axis + 1 for axis in axes)))


def reduced(primal: Rule, operands: tuple[Batch], *, axis: Any, keepdims: bool) -> Any:
    """The batch function of a reduction over axes."""
    (x,) = operands
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    return primal(x.rows, axis=tuple(each % max(x.ndim, 1) + 1 for each in axes), keepdims=keepdims)
