"""The op table: products of matrices and tensors, inverses, determinants, solutions and Cholesky factors.

Matrices are the last two axes; axes before them are batches, broadcast against each other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from tapeviz.engine.calling.define import defop
from tapeviz.engine.facts import Facts
from tapeviz.engine.graph_mode.batch_length import batch_length
from tapeviz.engine.kernels import lu_cholesky, silent
from tapeviz.engine.kernels.einsum import contracted
from tapeviz.engine.kernels.matmul import product, times_transposed, transposed_times
from tapeviz.engine.kernels.triangular_solve import substituted
from tapeviz.engine.op_errors.reasons import not_square
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops.array import Shape, reshape
from tapeviz.engine.ops.complex import adjoint
from tapeviz.engine.ops.math import broadcast_to, unbroadcast
from tapeviz.engine.rules.arrays import by_arrays
from tapeviz.engine.specs.dtype_sets import (
    BRAIN,
    EVERY,
    HALF,
    INEXACT,
    NUMBERS,
    REALS,
    SMALL,
    SOLVABLE,
    TEXT,
    TRUTH,
    UNSIGNED,
    dtypes,
)
from tapeviz.engine.specs.dtypes import Array
from tapeviz.engine.values.convert import unboxed
from tapeviz.errors import InvalidArgumentError


def _matmul(x: Array, y: Array) -> Any:
    """x @ y, of matrices or batches of them."""
    try:
        if x.ndim == y.ndim == 2:
            return product(x, y)
        if x.ndim > 1 < y.ndim:
            return x @ y
    except ValueError:
        if x.shape[-1] == y.shape[-2]:
            raise
        raise incompatible(x.shape, y.shape) from None
    raise InvalidArgumentError(
        f"matmul multiplies matrices, not shapes {x.shape} and {y.shape}: use tf.linalg.matvec or tf.tensordot."
    )


def incompatible(x: Shape, y: Shape, transposed: tuple[bool, bool] = (False, False)) -> InvalidArgumentError:
    """The error for matrices of these shapes, which do not fit after those that are to be `transposed` are."""
    inner, other = x[-2 if transposed[0] else -1], y[-1 if transposed[1] else -2]
    batched = f" {int(transposed[0])} {int(transposed[1])}" if max(len(x), len(y)) > 2 else ""
    first = [each for each, is_first in ((inner, transposed[0]), (other, not transposed[1])) if is_first]
    return InvalidArgumentError(
        f"Matrix size-incompatible: In[0]: {listed(x)}, In[1]: {listed(y)}{batched}. In matmul of {x} times {y} the "
        f"inner lengths, {inner} and {other}, must be the same. "
        "Transpose one of them (transpose_a=True, transpose_b=True)?",
        at_run=max(len(x), len(y)) == 2 and batch_length.get() in first,
    )


matrix_transpose = defop("matrix_transpose", lambda x: x.mT, Facts(over="rows"), x=lambda g: matrix_transpose(g))
matmul = defop(
    "matmul",
    _matmul,
    Facts(over="rows", tangents="bilinear", of_matrices=True, dtypes=NUMBERS - dtypes("int8"), no_kernel=UNSIGNED),
    x=by_arrays(times_transposed)(lambda g, y: matmul(g, matrix_transpose(y))),
    y=by_arrays(transposed_times)(lambda g, x: matmul(matrix_transpose(x), g)),
)

# ----- sums of products, by labels: "ij,jk->ik" -----


def labels_of(equation: str) -> tuple[list[str], str]:
    """The labels of each operand, and of the result."""
    left, result = equation.split("->")
    return left.split(","), result


def _einsum(*values: Array, equation: str) -> Any:
    operands, result = labels_of(equation)
    if len(values) == 2:
        (x, y), (left, right) = values, operands
        return unboxed(contracted(x, y, left, right, result))
    return unboxed(np.asarray(silent.einsum(equation, *values, optimize=len(values) > 2)))


def _einsum_rule(g: object, values: tuple[Any, ...], values_shape: Array, equation: str) -> tuple[Any, ...]:
    """The VJP for an operand: an einsum with g in its place; labels that only this operand has are broadcast."""
    operands, result = labels_of(equation)
    cotangents = []
    for slot, (labels, shape) in enumerate(zip(operands, values_shape, strict=True)):
        others = [operand for i, operand in enumerate(operands) if i != slot]
        rest = [value for i, value in enumerate(values) if i != slot]
        known = "".join(label for label in labels if any(label in each for each in (result, *others)))
        part = einsum(g, *rest, equation=f"{','.join((result, *others))}->{known}")
        part = reshape(part, shape=tuple(_length(part, known, label) for label in labels))
        lengths = tuple(b if a == 1 else a for a, b in zip(part.shape, shape, strict=True))
        part = part if lengths == tuple(part.shape) else broadcast_to(part, shape=lengths)
        cotangents.append(unbroadcast(part, shape))
    return tuple(cotangents)


def _length(part: Array, known: str, label: str) -> int:
    return part.shape[known.index(label)] if label in known else 1


einsum = defop(
    "einsum",
    _einsum,
    Facts(tangents="bilinear", dtypes=EVERY, no_kernel=SMALL | UNSIGNED | TRUTH | TEXT),
    values=_einsum_rule,
)


def _minor(x: Array, y: Array, i: int) -> Any:
    j, k = (i + 1) % 3, (i + 2) % 3
    return x[..., j] * y[..., k] - x[..., k] * y[..., j]


cross = defop(
    "cross",
    lambda x, y: np.stack([_minor(x, y, i) for i in range(3)], -1),
    Facts(over="rows", dtypes=REALS),
    x=lambda g, y: cross(y, g),
    y=lambda g, x: cross(g, x),
)

# ----- diagonals and triangles -----


def _diag(x: Array) -> Any:
    out = np.zeros((*x.shape, x.shape[-1]), x.dtype)
    places = np.arange(x.shape[-1])
    out[..., places, places] = x
    return out


def _diag_part_rule(g: Array, x_shape: tuple[int, ...]) -> Any:
    return set_diag(np.zeros(x_shape, g.dtype.name), g)


def _set_diag(x: Array, diagonal: Array) -> Any:
    out = np.array(x)
    places = np.arange(min(x.shape[-2:]))
    out[..., places, places] = diagonal
    return out


def _set_diag_rest(g: Array) -> Any:
    length = min(g.shape[-2:])
    return set_diag(g, np.zeros((*g.shape[:-2], length), g.dtype.name))


def _band_part(x: Array, *, lower: int, upper: int) -> Any:
    rows, columns = x.shape[-2:]
    apart = np.arange(columns) - np.arange(rows)[:, None]
    inside = ((lower < 0) | (-apart <= lower)) & ((upper < 0) | (apart <= upper))
    return np.where(inside, x, x.dtype.type(0))


diag = defop("diag", _diag, Facts(over="rows", dtypes=EVERY, no_kernel=TEXT), x=lambda g: diag_part(g))
diag_part = defop(
    "diag_part", lambda x: x.diagonal(0, -2, -1), Facts(over="rows", dtypes=EVERY, no_kernel=TEXT), x=_diag_part_rule
)
set_diag = defop(
    "set_diag",
    _set_diag,
    Facts(over="all", dtypes=EVERY, no_kernel=TEXT),
    x=_set_diag_rest,
    diagonal=lambda g: diag_part(g),
)
band_part = defop(
    "band_part",
    _band_part,
    Facts(dtypes=EVERY, no_kernel=TEXT),
    x=lambda g, lower, upper: band_part(g, lower=lower, upper=upper),
)

# ----- solving -----


def _solved(op: str, solve: Any, *operands: Any) -> Any:
    matrix = operands[0]
    if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2]:
        raise InvalidArgumentError(f"{not_square(matrix)}. In {op} of shape {matrix.shape}.")
    try:
        return solve(*operands)
    except np.linalg.LinAlgError as error:
        raise _not_invertible(op, str(error)) from error


def _not_invertible(op: str, why: str) -> InvalidArgumentError:
    what = "Input is" if op == "inv" else "Input matrix is"
    return InvalidArgumentError(f"{what} not invertible. In {op}: {why}.", at_run=True)


def _by_pivots(op: str, solve: Any, matrix: Any, *right: Array) -> Any:
    """TensorFlow notices a NaN only in the first pivot."""
    out = _solved(op, solve, matrix, *right)
    if matrix.size and np.isnan(matrix[..., 0, 0]).any():
        raise _not_invertible(op, "its first pivot is NaN")
    return out


def in_single(primal: Callable[..., Any]) -> Callable[..., Any]:
    """A primal that NumPy does not have for float16, computed in float32 for that."""

    @wraps(primal)
    def computed(x: Array, **options: Array) -> Any:
        if x.dtype != np.float16:
            return primal(x, **options)
        out = primal(x.astype(np.float32), **options)
        return tuple([each.astype(np.float16) for each in out]) if type(out) is tuple else out.astype(np.float16)

    return computed


def _cholesky_rule(g: object, out: object) -> Any:
    """With L = out: the symmetric part of L⁻ᴴ Φ(Lᴴ g) L⁻¹, where Φ halves the diagonal of the lower triangle."""
    upper = adjoint(out)
    inner = band_part(matmul(upper, g), lower=-1, upper=0)
    inner = set_diag(inner, 0.5 * diag_part(inner))
    half = triangular_solve(upper, inner, lower=False)
    whole = triangular_solve(upper, adjoint(half), lower=False)
    return 0.5 * (whole + adjoint(whole))


def _solve_matrix(g: object, out: object, rhs_cotangent: object) -> Any:
    return -matmul(rhs_cotangent, matrix_transpose(out))


def _factors(x: Array) -> Any:
    """The Cholesky factors; NaN for a matrix that is not positive definite, as in TensorFlow."""
    try:
        return lu_cholesky.cholesky(x)
    except np.linalg.LinAlgError:
        if x.ndim == 2:
            return np.tril(np.full_like(x, np.nan))
        return np.stack([_factors(each) for each in x])


def _triangular_matrix(g: object, out: object, lower: bool, rhs_cotangent: object) -> Any:
    whole = _solve_matrix(g, out, rhs_cotangent)
    return band_part(whole, lower=-1, upper=0) if lower else band_part(whole, lower=0, upper=-1)


inv = defop(
    "inv",
    in_single(lambda x: _by_pivots("inv", lu_cholesky.inv, x)),
    Facts(over="rows", dtypes=SOLVABLE),
    x=lambda g, out: -matmul(matrix_transpose(out), matmul(g, matrix_transpose(out))),
)
det = defop(
    "det",
    lambda x: _solved("det", lu_cholesky.det, x),
    Facts(
        seed_shape="broadcast", over="rows", holomorphic=False, dtypes=SOLVABLE, no_kernel=HALF
    ),  # of complex numbers TensorFlow conjugates only x
    x=lambda g, x, out: reshape(g * out, shape=(*g.shape, 1, 1)) * inv(adjoint(x)),
)
cholesky = defop(
    "cholesky",
    lambda x: _solved("cholesky", _factors, x),
    Facts(over="rows", symmetric=True, holomorphic=False, dtypes=SOLVABLE, no_kernel=HALF),
    x=_cholesky_rule,
)
solve = defop(
    "solve",
    lambda matrix, rhs: _by_pivots("solve", lu_cholesky.solve, matrix, rhs),
    Facts(over="all", dtypes=SOLVABLE, no_kernel=HALF),
    matrix=_solve_matrix,
    rhs=lambda g, matrix: solve(matrix_transpose(matrix), g),
)
triangular_solve = defop(
    "triangular_solve",
    lambda matrix, rhs, *, lower: _solved("triangular_solve", substituted, matrix, rhs, lower),
    Facts(dtypes=INEXACT, no_kernel=HALF | BRAIN),
    matrix=_triangular_matrix,
    rhs=lambda g, matrix, lower: triangular_solve(matrix_transpose(matrix), g, lower=not lower),
)
