"""Matrices under TensorFlow's names."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tapeviz.engine.api.arguments import (
    FLOATS,
    NUMBERS,
    axis_of,
    int_of,
    ints_of,
    number_of,
    tensor_of,
    together,
    value_of,
)
from tapeviz.engine.api.complex import conj, real
from tapeviz.engine.api.table import EXPORTS, export
from tapeviz.engine.dtypes import as_dtype, require
from tapeviz.engine.ops import array, joining, math, nn, picking, reduction
from tapeviz.engine.ops import linalg as ops
from tapeviz.engine.ops.complex import adjoint
from tapeviz.engine.slices import IndexedSlices
from tapeviz.engine.tensor import TensorLike
from tapeviz.errors import InvalidArgumentError


@export("matmul", "linalg.matmul")
def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Any:
    """The product of matrices, (..., n, k) by (..., k, m); axes before the last two are batches.

    Raises:
        InvalidArgumentError: an argument that is no matrix, lengths that do not match, or another `output_type`.
        ValueError: a matrix that is to be both transposed and adjoint.

    >>> import tapeviz as tf
    >>> tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy().tolist()
    [[11.0]]
    """
    plain = not (transpose_a or transpose_b or adjoint_a or adjoint_b or output_type)
    if plain and isinstance(a, TensorLike) and isinstance(b, TensorLike):
        return ops.matmul(a, b)
    if (transpose_a and adjoint_a) or (transpose_b and adjoint_b):
        raise ValueError("matmul: a matrix is transposed or adjoint, not both.")
    x, y = together("matmul", tensor_of(a), b, kinds=NUMBERS)
    if output_type is not None:
        require(as_dtype(output_type) is x.dtype, f"matmul: output_type is another than {x.dtype.name}: use tf.cast.")
    x = adjoint(x) if adjoint_a else ops.matrix_transpose(x) if transpose_a else x
    y = adjoint(y) if adjoint_b else ops.matrix_transpose(y) if transpose_b else y
    return ops.matmul(x, y)


@export("linalg.matvec")
def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The product of a matrix (..., n, k) and a vector (..., k)."""
    x, y = together("matvec", a, b, kinds=NUMBERS)
    product = matmul(x, array.expand_dims(tensor_of(y), axis=-1), transpose_a, adjoint_a=adjoint_a)
    return array.squeeze(product, axis=(-1,))


@export("linalg.matrix_transpose")
def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Any:
    """The last two axes exchanged, and the numbers conjugated if asked."""
    return (adjoint if conjugate else ops.matrix_transpose)(tensor_of(a))


@export("linalg.adjoint")
def conjugate_transpose(matrix: Any, name: str | None = None) -> Any:
    """The last two axes exchanged, and the numbers conjugated."""
    return adjoint(tensor_of(matrix))


_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@export("tensordot", "linalg.tensordot")
def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Any:
    """The sum of products over pairs of axes: the last n of `a` and first n of `b`, or the axes listed for each.

    Raises:
        ValueError: axes that do not pair up, or more of them than `a` has.
        IndexError: more of them than `b` has.
    """
    x, y = together("tensordot", a, b, kinds=NUMBERS)
    x, y = tensor_of(x), tensor_of(y)
    of_x, of_y = _pairs(axes, x.ndim, y.ndim)
    left = _LETTERS[: x.ndim]
    right = list(_LETTERS[x.ndim : x.ndim + y.ndim])
    for i, j in zip(of_x, of_y, strict=True):
        if x.shape[i] != y.shape[j]:
            raise InvalidArgumentError(
                f"Matrix size-incompatible: axis {i} of shape {x.shape}, axis {j} of {y.shape} in tensordot."
            )
        right[j] = left[i]
    summed = {left[i] for i in of_x}
    result = "".join(label for label in (*left, *right) if label not in summed)
    return ops.einsum(x, y, equation=f"{left},{''.join(right)}->{result}")


def _pairs(axes: Any, x_rank: int, y_rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    axes = axes._value if hasattr(axes, "_value") else axes
    if isinstance(axes, (int, np.integer)):
        if axes < 0 or axes > min(x_rank, y_rank):
            error = IndexError if 0 <= axes <= x_rank else ValueError  # as TensorFlow
            raise error(f"`axes` must be between 0 and the rank of both tensors, got {axes}.")
        return tuple(range(x_rank - axes, x_rank)), tuple(range(axes))
    if len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2, got {axes}.")
    of_x, of_y = ints_of(axes[0]), ints_of(axes[1])
    if len(of_x) != len(of_y):
        raise ValueError(f"Different number of contraction axes a and b, {len(of_x)} != {len(of_y)}.")
    return tuple(i % x_rank for i in of_x), tuple(j % y_rank for j in of_y)


@export("einsum", "linalg.einsum")
def einsum(equation: str, *inputs: Any, **options: Any) -> Any:
    """The sum of products that the labels say: "ij,jk->ik" is the matrix product; "..." stands for leading axes.

    Raises:
        ValueError: another number of operands than the equation has, a label in the result alone or twice, or what is
            no equation.
    """
    if not re.fullmatch(r"[A-Za-z.,\s]*(->[A-Za-z.\s]*)?", equation):
        raise ValueError(f"Subscripts have incorrect format: {equation}")
    tensors = [tensor_of(each) for each in together("einsum", *inputs, kinds=NUMBERS)]
    left, arrow, result = equation.replace(" ", "").partition("->")
    operands = left.split(",")
    if len(operands) != len(tensors):
        raise ValueError(f"Expected {len(operands)} inputs for the equation {equation!r}, got {len(tensors)}.")
    spare = [letter for letter in _LETTERS.upper() if letter not in equation]
    widths = [t.ndim - len(o.replace("...", "")) for o, t in zip(operands, tensors, strict=True) if "..." in o]
    widest = max(widths, default=0)
    named = [o.replace("...", _ellipsis(spare, widest, t.ndim, o)) for o, t in zip(operands, tensors, strict=True)]
    if len(set(result.replace("...", ""))) < len(result.replace("...", "")):
        raise ValueError(f"Output subscripts contain a label appearing more than once: {equation}")
    unknown = set(result.replace("...", "")) - set(left)
    if unknown:
        raise ValueError(f"Output subscripts contain the label {min(unknown)} not present in the input subscripts.")
    if not arrow:
        seen = "".join(operands).replace("...", "")
        result = ("..." if widths else "") + "".join(sorted(label for label in set(seen) if seen.count(label) == 1))
    result = result.replace("...", "".join(spare[:widest]))
    parts = [_diagonal(labels, x) for labels, x in zip(named, tensors, strict=True)]
    return ops.einsum(*[x for _, x in parts], equation=f"{','.join(labels for labels, _ in parts)}->{result}")


def _diagonal(labels: str, x: Any) -> tuple[str, Any]:
    """An operand in which a label occurs twice, as its diagonal along those two axes, which then come last."""
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is None:
        return labels, x
    first, second = (i for i in (labels.index(twice), labels.index(twice, labels.index(twice) + 1)))
    rest = [i for i in range(x.ndim) if i not in (first, second)]
    require(x.shape[first] == x.shape[second], f"einsum: the axes labelled {twice!r} differ in length: {x.shape}.")
    part = ops.diag_part(array.transpose(x, perm=(*rest, first, second)))
    return _diagonal("".join(labels[i] for i in rest) + twice, part)


def _ellipsis(spare: list[str], widest: int, rank: int, operand: str) -> str:
    width = rank - len(operand.replace("...", ""))
    return "".join(spare[widest - width : widest]) if width > 0 else ""


@export("norm", "linalg.norm")
def norm(tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: Any = None, name: str | None = None) -> Any:
    """The length of a vector, or of all numbers: euclidean, 1, 2, any p > 0, or np.inf. At 0 its gradient is NaN.

    Raises:
        ValueError: an order that is not supported, or axes that are neither one nor two.
    """
    if axis is not None and not isinstance(axis, int) and not _are_two(axis):
        raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis!r}.")
    x, axis, keepdims = number_of(tensor, "norm"), axis_of(axis), bool(keepdims)
    if ord == "fro" and (axis is None or isinstance(axis, int) or len(axis) == 1):
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    if ord in ("euclidean", "fro") or (ord == 2 and (axis is None or isinstance(axis, int) or len(axis) == 1)):
        return math.sqrt(reduction.reduce_sum(x * conj(x), axis=axis, keepdims=keepdims))
    size = abs(x)
    if isinstance(axis, tuple) and len(axis) == 2:
        return _largest_stretch(x, axis, keepdims) if ord == 2 else _matrix_norm(size, ord, axis, keepdims)
    if ord == 1:
        return reduction.reduce_sum(size, axis=axis, keepdims=keepdims)
    if ord == np.inf:
        return reduction.reduce_max(size, axis=axis, keepdims=keepdims)
    if isinstance(ord, str) or ord <= 0:
        raise ValueError(f"'ord' must be a supported vector norm, got {ord!r}.")
    return reduction.reduce_sum(size**ord, axis=axis, keepdims=keepdims) ** (1.0 / ord)


def _are_two(axis: Any) -> bool:
    """Whether it is a list of two different axes."""
    return isinstance(axis, (list, tuple)) and len(axis) == 2 and axis[0] != axis[1]


def _matrix_norm(size: Any, ord: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    if ord not in (1, np.inf):
        raise ValueError(f"'ord' must be a supported matrix norm in [1, 2, inf, 'fro', 'euclidean'], got {ord!r}.")
    summed, largest = axis if ord == 1 else axis[::-1]
    found = reduction.reduce_max(reduction.reduce_sum(size, axis=summed, keepdims=True), axis=(largest,), keepdims=True)
    return found if keepdims else array.squeeze(found, axis=axis)


def _largest_stretch(x: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    """The largest singular value of the matrices along two axes."""
    along = [i % x.ndim for i in axis]
    order = (*(i for i in range(x.ndim) if i not in along), *along)
    values = EXPORTS["linalg.svd"](array.transpose(x, perm=order), compute_uv=False)
    found = reduction.reduce_max(values, axis=-1, keepdims=False)
    shape = tuple(1 if i in along else n for i, n in enumerate(x.shape))
    return array.reshape(found, shape=shape) if keepdims else found


@export("linalg.normalize")
def normalize(tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None) -> tuple[Any, Any]:
    """The tensor divided by its norm, and the norm."""
    x = number_of(tensor, "normalize")
    length = norm(x, ord, axis, keepdims=True)
    return x / length, length


@export("linalg.global_norm")
def global_norm(t_list: Any, name: str | None = None) -> Any:
    """The length of several tensors taken as one vector; None is left out.

    Raises:
        TypeError: no list.
    """
    if not isinstance(t_list, (list, tuple)):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    rows = [each.values if isinstance(each, IndexedSlices) else each for each in t_list if each is not None]
    halves = [nn.l2_loss(tensor_of(each)) for each in rows]
    if not halves:
        return tensor_of(0.0)
    return math.sqrt(reduction.reduce_sum(joining.stack(*halves, axis=0), axis=None, keepdims=False) * 2.0)


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


@export("linalg.inv")
def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Any:
    """The inverse of square matrices.

    Raises:
        InvalidArgumentError: a singular matrix.
    """
    x = number_of(input, "inv")
    return ops.inv(conjugate_transpose(x) if adjoint else x)


@export("linalg.det")
def det(input: Any, name: str | None = None) -> Any:
    """The determinant of square matrices."""
    return ops.det(number_of(input, "det"))


@export("linalg.logdet")
def logdet(matrix: Any, name: str | None = None) -> Any:
    """The logarithm of the determinant of positive definite matrices."""
    factor = ops.cholesky(number_of(matrix, "logdet"))
    return 2.0 * reduction.reduce_sum(math.log(real(ops.diag_part(factor))), axis=-1, keepdims=False)


@export("linalg.cholesky")
def cholesky(input: Any, name: str | None = None) -> Any:
    """The lower triangle whose product with its transpose is the matrix.

    Raises:
        InvalidArgumentError: a matrix that is not positive definite.
    """
    return ops.cholesky(number_of(input, "cholesky"))


@export("linalg.solve")
def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Any:
    """The x with matrix @ x = rhs.

    Raises:
        InvalidArgumentError: a singular matrix.
    """
    a, b = map(tensor_of, together("solve", tensor_of(matrix), rhs, kinds=FLOATS))
    require(a.ndim == b.ndim, f"solve: all input tensors must have the same rank, got {a.shape} and {b.shape}.")
    return ops.solve(conjugate_transpose(a) if adjoint else a, b)


@export("linalg.triangular_solve")
def triangular_solve(matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None) -> Any:
    """The x with matrix @ x = rhs, where only the lower (or upper) triangle of the matrix counts."""
    a, b = together("triangular_solve", matrix, rhs, kinds=FLOATS)
    return ops.triangular_solve(conjugate_transpose(a) if adjoint else a, b, lower=lower is not adjoint)


@export("linalg.cholesky_solve")
def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Any:
    """The x with A @ x = rhs, given the Cholesky factor of A."""
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True)
