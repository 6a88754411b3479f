"""Diagonals of matrices, read, set and kept, at any distance from the main one, under TensorFlow's names."""

from __future__ import annotations

from functools import reduce
from math import prod
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import exactly, number_of, tensor_of, together, value_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import INT64, QUICK, int32_of, ints_of, one_of
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import array, joining, math, picking, reduction
from tapeviz.engine.ops import linalg as ops
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.errors import InvalidArgumentError


@export("linalg.diag")
def diag(
    diagonal: object,
    name: str = "diag",
    k: object = 0,
    num_rows: object = -1,
    num_cols: object = -1,
    padding_value: object = 0,
    align: str = "RIGHT_LEFT",
) -> Any:
    """Matrices with given diagonals, and one value elsewhere.

    Args:
        diagonal: a tensor whose last axis is a diagonal. For several diagonals, the last two axes: a row for each of
            them from the highest to the lowest, as `tf.linalg.diag_part` returns them.
        k: which diagonal it is: 0 is the main one, positive ones are above it. For several, a pair of the lowest and
            the highest.
        num_rows: the number of rows; by default as few as possible.
        num_cols: the number of columns; by default as few as possible. Without both, the matrices are square.
        padding_value: the value elsewhere.
        align: at which end of its row a shorter diagonal is, as in `tf.linalg.diag_part`.

    Raises:
        InvalidArgumentError: the diagonal does not fit the size.

    >>> import tapeviz as tf
    >>> tf.linalg.diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    x, ends = _padded("diag", diagonal, padding_value), _ends("diag", k, align, diagonal)
    require(x.ndim > 0, "diagonal must be at least 1-dim, received shape: []. In diag.")
    length = x.shape[-1]
    rows, columns = (
        _size(_length(num_rows, diagonal), length - min(ends[1], 0), "rows"),
        _size(_length(num_cols, diagonal), length + max(ends[0], 0), "columns"),
    )
    if num_rows == -1 == num_cols:
        rows = columns = max(rows, columns)
    band, matrix = _band(x, ends, (rows, columns), align)
    if not np.any(value_of(padding_value)):
        return matrix
    return math.where(~band, *together("diag", value_of(padding_value).item(), matrix))


def _padded(op: str, value: object, padding: Any) -> Any:
    """A tensor of a dtype that an op takes, in which 0 is no padding of texts, nor of plain truth values."""
    x = tensor_of(value)
    if x.dtype.name == "string" or (x.dtype.name == "bool" and not hasattr(value, "dtype")):
        convert_to_tensor(padding, x.dtype)
    return number_of(x, op)


def _length(given: object, diagonal: object) -> int:
    return int32_of(given, "diag", diagonal, otherwise="num_rows and num_cols must be scalars, not {shape}. In diag.")


def _size(given: int, least: int, called: str) -> int:
    require(given == -1 or given >= least, f"The number of {called} is too small. In diag: {least} are needed.")
    return least if given == -1 else given


def _ends(op: str, k: object, align: str, *others: object) -> tuple[int, int]:
    """The lowest and the highest of some diagonals, with an alignment that there is."""
    if align not in _ALIGNED:
        allowed = ", ".join(f'"{each}"' for each in _ALIGNED)
        raise InvalidArgumentError(
            f"Value for attr 'align' of \"{align}\" is not in the list of allowed values: {allowed}."
        )
    ends = (k, k) if type(k) is int else ints_of(exactly(k, "int32", op, *others))
    require(len(ends) > 0, f"Expected diag_index to have at least 1 element: k = {k}. In {op}.")
    require(len(ends) < 3, f"diag_index must have only one or two elements, received {len(ends)} elements. In {op}.")
    falling = f"lower_diag_index must not be larger than upper_diag_index: {ends[0]} > {ends[-1]}"
    require(ends[0] <= ends[-1], f"{falling}. In {op}.")
    return ends[0], ends[-1]


def _require_ends(op: str, ends: tuple[int, int], shape: Any, end: str = "") -> None:
    """Refuse diagonals that matrices of a shape do not have; an op may `end` what it says of the lowest by a point."""
    high, wide = shape[-2:]
    for which, off, point in (("lower", ends[0], end), ("upper", ends[1], "")):
        if off and not -high < off < wide:
            bounds = f"It must be between {-high} and {wide}"
            raise InvalidArgumentError(f"{which}_diag_index is out of bound: {off}{point} {bounds}: {op} of {shape}.")


def _band(x: Any, ends: tuple[int, int], size: tuple[int, int], align: str) -> tuple[Any, Any]:
    """Where diagonals are in a matrix of this size, and a matrix with them at these places and 0 elsewhere.

    They are the rows of `x`, the highest first, each with its numbers at the end that `align` says; one alone is `x`.
    """
    rows, columns = size
    offsets = range(ends[1], ends[0] - 1, -1)
    lengths = [min(rows + min(off, 0), columns - max(off, 0)) for off in offsets]
    longest = max(lengths)
    one = len(lengths) == 1
    fits = min(lengths) >= (0 if one else 1) and x.shape[-1] == longest and (one or x.shape[-2:-1] == (len(lengths),))
    require(
        fits,
        "The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal. "
        f"Diagonals {ends} of shape {x.shape} do not fit matrices of {rows} rows and {columns} columns.",
    )
    parts = []
    for i, (off, length) in enumerate(zip(offsets, lengths, strict=True)):
        start = longest - length if _to_the_right(off, align) else 0
        batch = ((None, None, None),) * (x.ndim - (1 if one else 2))
        part = x if one else picking.getitem(x, index=(*batch, i, (start, start + length, None)))
        above, below = max(off, 0), max(-off, 0)
        around = (*((0, 0),) * len(batch), (below, rows - length - below), (above, columns - length - above))
        matrix = ops.diag(part)
        parts.append(joining.pad(matrix, paddings=around, constant_values=0) if max(map(max, around)) else matrix)
    band = np.tri(rows, columns, ends[1], bool) & ~np.tri(rows, columns, ends[0] - 1, bool)
    return band, reduce(math.logical_or if x.dtype.is_bool else math.add, parts)


def _to_the_right(off: int, align: str) -> bool:
    """Whether the numbers of a diagonal that is shorter than others are at the end of its row."""
    above, below = align.split("_")
    return (above if off >= 0 else below) == "RIGHT"


@export("linalg.diag_part")
def diag_part(
    input: object, name: str = "diag_part", k: object = 0, padding_value: object = 0, align: str = "RIGHT_LEFT"
) -> Any:
    """The diagonals of matrices.

    Args:
        input: a tensor of shape (..., rows, columns).
        k: which diagonal: 0 is the main one, positive ones are above it. For several, a pair of the lowest and the
            highest.
        padding_value: what shorter diagonals are filled up with.
        align: at which end of its row a shorter diagonal is: two of "LEFT" and "RIGHT", joined by "_". The first is for
            those above the main diagonal, the second for those below it.

    Returns:
        The diagonal along the last axis. For several, a row for each of them, the highest first.

    Raises:
        InvalidArgumentError: there is no such diagonal or alignment.

    >>> import tapeviz as tf
    >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy().tolist()
    [1, 4]
    >>> tf.linalg.diag_part([[1, 2], [3, 4]], k=(-1, 0)).numpy().tolist()
    [[1, 4], [3, 0]]
    """
    x = _padded("diag_part", input, padding_value)
    said = f"input must be at least 2-dim, received shape: {listed(x.shape)}. In diag_part."
    require(x.ndim > 1, said)
    ends = _ends("diag_part", k, align, input)
    _require_ends("diag_part", ends, x.shape, end=".")
    if ends[0] == ends[1]:
        return _diagonal_of(x, ends[0])
    parts = {off: _diagonal_of(x, off) for off in range(ends[1], ends[0] - 1, -1)}
    longest = max(part.shape[-1] for part in parts.values())
    rows = []
    for off, part in parts.items():
        spare = longest - part.shape[-1]
        border = (spare, 0) if _to_the_right(off, align) else (0, spare)
        around = (*((0, 0),) * (part.ndim - 1), border)
        rows.append(joining.pad(part, paddings=around, constant_values=value_of(padding_value).item()))
    return joining.stack(*rows, axis=-2)


_ALIGNED = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


def _diagonal_of(x: Any, off: int) -> Any:
    if off:
        whole = ((None, None, None),) * (x.ndim - 2)
        x = picking.getitem(x, index=(*whole, (max(-off, 0), None, None), (max(off, 0), None, None)))
    return ops.diag_part(x)


@export("linalg.set_diag")
def set_diag(input: object, diagonal: object, name: str = "set_diag", k: object = 0, align: str = "RIGHT_LEFT") -> Any:
    """Matrices with other numbers on one or several diagonals.

    Args:
        input: a tensor of shape (..., rows, columns).
        diagonal: the numbers, in the form in which `tf.linalg.diag` takes them.
        k: which diagonal, or a pair of the lowest and the highest.
        align: at which end of its row a shorter diagonal is, as in `tf.linalg.diag_part`.

    Raises:
        InvalidArgumentError: the diagonal has another length.

    >>> import tapeviz as tf
    >>> tf.linalg.set_diag([[1, 2], [3, 4]], [0, 9]).numpy().tolist()
    [[0, 2], [3, 9]]
    """
    x, numbers = map(tensor_of, together("set_diag", input, diagonal))
    lowest, highest = _ends("set_diag", k, align, input, diagonal)
    require(x.ndim > 1, f"input must be at least 2-dim, received shape: {listed(x.shape)}. In set_diag.")
    require(numbers.ndim > 0, "diagonal must be at least 1-dim, received shape: []. In set_diag.")
    _require_ends("set_diag", (lowest, highest), x.shape)
    *lead, rows, columns = x.shape
    count, longest = highest - lowest + 1, min(rows + min(highest, 0), columns - max(lowest, 0))
    wanted = (*lead, *((count,) if count > 1 else ()), max(longest, 0))
    if numbers.shape != wanted:
        raise InvalidArgumentError(
            f"set_diag got diagonals of shape {numbers.shape} for {x.shape}: they must be of shape {wanted}.",
            at_run=numbers.ndim == len(wanted),
        )
    if lowest or highest:
        return math.where(*_band(numbers, (lowest, highest), (rows, columns), align), x)
    return ops.set_diag(x, numbers)


@export("linalg.band_part")
def band_part(input: object, num_lower: object, num_upper: object, name: str | None = None) -> Any:
    """Matrices in which only the diagonals next to the main one are kept, and the rest is 0.

    Args:
        input: a tensor of shape (..., rows, columns).
        num_lower: how many diagonals below the main one are kept; -1 for all.
        num_upper: how many above it; -1 for all.

    >>> import tapeviz as tf
    >>> tf.linalg.band_part([[1, 2], [3, 4]], -1, 0).numpy().tolist()
    [[1, 0], [3, 4]]
    """
    x = number_of(input, "band_part")
    if type(num_lower) is int and not isinstance(input, QUICK):  # both in Python then, by the first of them
        num_upper = together(".Tindex", num_lower, num_upper)[1]
    lower, upper = (
        one_of(
            each,
            ".Tindex",
            input,
            num_lower,
            num_upper,
            hint=INT64,
            otherwise=f"{end} must be scalar, got shape {{shape}}",
        )
        for end, each in (("num_lower", num_lower), ("num_upper", num_upper))
    )
    require(x.ndim > 1, f"input must be at least 2-dim, received shape: {listed(x.shape)}. In band_part.", at_run=True)
    limits = ("num_lower", lower, "rows", x.shape[-2]), ("num_upper", upper, "columns", x.shape[-1])
    for bound, kept, what, length in limits:
        said = f"{bound} must be negative or less or equal to number of {what} ({length}) got: {kept}"
        require(kept <= length, f"{said}. In band_part of shape {x.shape}.", at_run=True)
    return ops.band_part(x, lower=lower, upper=upper)


@export("linalg.trace")
def trace(x: object, name: str | None = None) -> Any:
    """The sum of the main diagonal of a matrix, or of each matrix in a batch.

    >>> import tapeviz as tf
    >>> float(tf.linalg.trace([[1.0, 2.0], [3.0, 4.0]]))
    5.0
    """
    return reduction.reduce_sum(number_of(diag_part(tensor_of(x)), "reduce_sum"), axis=-1, keepdims=False)


@export("linalg.tensor_diag")
def tensor_diag(diagonal: object, name: str | None = None) -> Any:
    """A tensor of twice the rank with the given elements on its diagonal, and 0 elsewhere.

    Args:
        diagonal: a tensor of at least one axis.

    >>> import tapeviz as tf
    >>> tf.linalg.tensor_diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    x = number_of(diagonal, "tensor_diag")
    require(x.ndim > 0, "Input must be at least rank 1, got 0, in tensor_diag.")
    return array.reshape(ops.diag(array.reshape(x, shape=(-1,))), shape=(*x.shape, *x.shape))


@export("linalg.tensor_diag_part")
def tensor_diag_part(input: object, name: str | None = None) -> Any:
    """The diagonal of a tensor, the inverse of `tf.linalg.tensor_diag`.

    Args:
        input: a tensor whose shape is some lengths, followed by the same lengths.

    Raises:
        InvalidArgumentError: another shape.

    >>> import tapeviz as tf
    >>> tf.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy().tolist()
    [1, 4]
    """
    x = number_of(input, "tensor_diag_part")
    half = x.ndim // 2
    require(x.ndim % 2 == 0, f"The rank of the tensor should be even and positive, got shape {listed(x.shape)}")
    for i in range(half):
        alike = x.shape[i] == x.shape[half + i]
        require(alike, f"Invalid shape {listed(x.shape)}: dimensions {i} and {half + i} do not match.")
    count = prod(x.shape[:half])
    return array.reshape(ops.diag_part(array.reshape(x, shape=(count, count))), shape=tuple(x.shape[:half]))
