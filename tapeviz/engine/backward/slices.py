"""The gradient of `gather`: some rows of a table, instead of a table that is zero almost everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.op_errors.dtypes import mixed_dtypes
from tapeviz.engine.op_errors.reasons import different_shapes
from tapeviz.engine.table import OPS
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.errors import InvalidArgumentError


class Slices:
    """A cotangent of shape `shape` of which only some rows are stored, the others being 0.

    `parts` are pairs (rows, indices), one for each op that read rows: arrays, or tensors in a recorded sweep. A row may
    occur several times, and is the sum of all of them. The parts are concatenated when they are read.
    """

    __slots__ = ("parts", "shape")

    def __init__(self, parts: list[tuple[Any, Any]], shape: tuple[int, ...]) -> None:
        self.parts = parts
        self.shape = shape

    @property
    def dtype(self) -> Any:
        """The NumPy dtype, also if the rows are tensors."""
        return array_in(self.parts[0][0]).dtype

    def whole(self) -> tuple[Any, Any]:
        """The rows of all parts, and their indices."""
        if len(self.parts) == 1:
            return self.parts[0]
        rows, indices = zip(*self.parts, strict=True)
        return OPS["concat"](*rows, axis=0), np.concatenate([array_in(each) for each in indices])

    def dense(self) -> Any:
        """The whole table: rows that appear twice are summed."""
        return OPS["scatter_rows"](*self.whole(), shape=self.shape, axis=0, batch_dims=0)

    def conjugate(self) -> Slices:
        """The complex conjugate."""
        return Slices([(OPS["conj"](rows), indices) for rows, indices in self.parts], self.shape)

    def cut(self, axis: int, start: int, shape: tuple[int, ...]) -> Slices:
        """The slice of this shape that begins at `start` of an axis."""
        return Slices([_cut(rows, array_in(indices), axis, start, shape) for rows, indices in self.parts], shape)

    def ordered(self, order: list[int]) -> Slices:
        """The same cotangent with its parts in another order."""
        return Slices([self.parts[part] for part in order], self.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """The whole table as an array, for readers of the log, which only keeps the rows."""
        bare = Slices([(array_in(rows), array_in(indices)) for rows, indices in self.parts], self.shape)
        return np.asarray(bare.dense(), dtype)


def _cut(rows: Any, indices: Any, axis: int, start: int, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """The slice of one part; along the first axis, the rows whose indices are inside."""
    if axis:
        index = (*((None, None, None),) * axis, (start, start + shape[axis], None))
        return OPS["getitem"](rows, index=index), indices
    within = np.flatnonzero((indices >= start) & (indices < start + shape[0])).astype(indices.dtype)
    return OPS["gather"](rows, within, axis=0, batch_dims=0), indices[within] - indices.dtype.type(start)


def total(before: Any, contribution: Any) -> Any:
    """The sum of two cotangents; it is in slices only if both are.

    Raises:
        InvalidArgumentError: they are of different dtypes or shapes, as a function's own gradient may be.
    """
    kind, other = type(before), type(contribution)
    if kind is other and issubclass(kind, np.generic):
        return before + contribution  # common: many ops read one number
    if kind is other is Slices:
        return Slices([*contribution.parts, *before.parts], before.shape)  # in the order the program picked them
    if Slices in (kind, other):
        before, contribution = dense(before), dense(contribution)
    x, y = array_in(before), array_in(contribution)
    if x.dtype != y.dtype:
        raise mixed_dtypes("add_n", x, y)
    if x.shape != y.shape:
        raise InvalidArgumentError(f"{different_shapes((x, y))}. Contributions are summed.")
    return before + contribution


def pulled_by_row(plan: Any, entries: Any, g: Slices, saved: Any, pull: Callable[[Any, Any], Any]) -> Any:
    """The VJP for an upstream gradient in slices: it gives slices if TensorFlow's does, else takes the whole table."""
    if plan.facts.hands_out:
        return pull(g, saved)
    if not plan.hands_on_as_is(entries):
        return pull(g.dense(), saved)
    if len(entries) > 1:  # a number was added
        return g
    return Slices([(pull(rows, saved), indices) for rows, indices in g.parts], g.shape)


def dense(cotangent: object) -> Any:
    """A cotangent as an array or tensor."""
    return cotangent.dense() if type(cotangent) is Slices else cotangent


def array_in(value: object) -> Any:
    """The array in a tensor; what is no tensor as it is."""
    return value._value if isinstance(value, TensorLike) else value
