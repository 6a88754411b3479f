"""Diagonals of matrices, taken and set, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.api.arguments import (
    NUMBERS,
    int_of,
    ints_of,
    number_of,
    tensor_of,
    together,
    value_of,
)
from tapeviz.engine.api.table import export
from tapeviz.engine.dtypes import require
from tapeviz.engine.ops import array, joining, math, picking, reduction
from tapeviz.engine.ops import linalg as ops


@export("linalg.trace")
def trace(x: Any, name: str | None = None) -> Any:
    """The sum of the diagonal."""
    return reduction.reduce_sum(ops.diag_part(number_of(x, "trace", NUMBERS)), axis=-1, keepdims=False)


@export("linalg.diag")
def diag(
    diagonal: Any, name: str = "diag", k: Any = 0, num_rows: Any = -1, num_cols: Any = -1, padding_value: Any = 0
) -> Any:
    """Matrices with the last axis on the k-th diagonal, above the main one if k > 0, and `padding_value` elsewhere.

    They are square, as small as they can be, unless `num_rows` or `num_cols` says how large they are.

    Raises:
        InvalidArgumentError: a size that the diagonal does not fit.
    """
    x, off = number_of(diagonal, "diag", "biufc"), int_of(k)
    require(x.ndim > 0, "diag: diagonal must be at least 1-dim, got a scalar.")
    length = x.shape[-1]
    above, below = max(off, 0), max(-off, 0)
    rows, columns = _size(int_of(num_rows), length + below), _size(int_of(num_cols), length + above)
    if num_rows == -1 == num_cols:
        rows = columns = max(rows, columns)
    fits = min(rows - below, columns - above) == length
    require(fits, f"diag: {length} numbers are no diagonal {off} of a matrix of {rows} rows and {columns} columns.")
    borders = ((0, 0),) * (x.ndim - 1)
    around = (*borders, (below, rows - length - below), (above, columns - length - above))
    matrix = ops.diag(x)
    matrix = joining.pad(matrix, paddings=around, constant_values=0) if max(map(max, around)) else matrix
    if not np.any(value_of(padding_value)):
        return matrix
    elsewhere = np.eye(rows, columns, off) == 0
    return math.where(elsewhere, *together("diag", value_of(padding_value).item(), matrix))


def _size(given: int, least: int) -> int:
    return least if given == -1 else given


@export("linalg.diag_part")
def diag_part(
    input: Any, name: str = "diag_part", k: Any = 0, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Any:
    """The k-th diagonals of matrices, above the main one if k > 0.

    With k = (low, high) all from the highest to the lowest, as rows. Shorter ones are filled with `padding_value`;
    `align` says at which end their numbers are, first for those above the main diagonal, then for those below.

    Raises:
        InvalidArgumentError: there is no such diagonal, or no such alignment.
    """
    x, ends = number_of(input, "diag_part", "biufc"), ints_of(k)
    require(ends[0] <= ends[-1], f"diag_part: k = {k} goes from a diagonal to a lower one.")
    if ends[0] == ends[-1]:
        return _diagonal_of(x, ends[0])
    require(align in _ALIGNED, f"diag_part: align is one of {_ALIGNED}, got {align!r}.")
    above, below = align.split("_")
    parts = {off: _diagonal_of(x, off) for off in range(ends[1], ends[0] - 1, -1)}
    longest = max(part.shape[-1] for part in parts.values())
    rows = []
    for off, part in parts.items():
        spare = longest - part.shape[-1]
        border = (spare, 0) if (above if off >= 0 else below) == "RIGHT" else (0, spare)
        around = (*((0, 0),) * (part.ndim - 1), border)
        rows.append(joining.pad(part, paddings=around, constant_values=value_of(padding_value).item()))
    return joining.stack(*rows, axis=-2)


_ALIGNED = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def _diagonal_of(x: Any, off: int) -> Any:
    if off:
        high, wide = x.shape[-2:]
        require(-high < off < wide, f"diag_part: k = {off} is no diagonal of shape {x.shape}.")
        whole = ((None, None, None),) * (x.ndim - 2)
        x = picking.getitem(x, index=(*whole, (max(-off, 0), None, None), (max(off, 0), None, None)))
    return ops.diag_part(x)


@export("linalg.tensor_diag")
def tensor_diag(diagonal: Any, name: str | None = None) -> Any:
    """A tensor of twice the rank with the numbers on its diagonal, and 0 elsewhere."""
    x = number_of(diagonal, "tensor_diag", NUMBERS)
    require(x.ndim > 0, "tensor_diag: input must be at least rank 1, got 0.")
    return array.reshape(ops.diag(array.reshape(x, shape=(-1,))), shape=(*x.shape, *x.shape))


@export("linalg.set_diag")
def set_diag(input: Any, diagonal: Any, name: str = "set_diag") -> Any:
    """Matrices with another diagonal.

    Raises:
        InvalidArgumentError: a diagonal of another length.
    """
    x, numbers = map(tensor_of, together("set_diag", input, diagonal))
    wanted = (*x.shape[:-2], min(x.shape[-2:], default=0))
    require(numbers.shape == wanted, f"set_diag: a diagonal of shape {numbers.shape} for matrices of shape {x.shape}.")
    return ops.set_diag(x, numbers)


@export("linalg.band_part")
def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Any:
    """Matrices with only so many diagonals below and above the main one kept; -1 keeps all."""
    x, lower, upper = number_of(input, "band_part", NUMBERS), int_of(num_lower), int_of(num_upper)
    require(x.ndim > 1, f"band_part: matrices are needed, got shape {x.shape}.")
    for kept, length in zip((lower, upper), x.shape[-2:], strict=True):
        require(kept <= length, f"band_part: {kept} diagonals of matrices of shape {x.shape} cannot be kept.")
    return ops.band_part(x, lower=lower, upper=upper)
