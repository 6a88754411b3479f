"""The op table: decompositions of a matrix, and functions of a whole matrix.

A decomposition has several outputs; its rule gets an upstream gradient for each, zeros for those that were not used.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.calling.define import defop
from tapeviz.engine.facts import Facts
from tapeviz.engine.kernels import jacobi_svd, lu_cholesky, silent, tridiagonal_eigh
from tapeviz.engine.op_errors.reasons import not_square
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.ops.array import cast_like, column, dtype_name, reshape
from tapeviz.engine.ops.complex import adjoint, conj
from tapeviz.engine.ops.joining import concat
from tapeviz.engine.ops.linalg import (
    band_part,
    diag,
    diag_part,
    in_single,
    inv,
    matmul,
    matrix_transpose,
    set_diag,
    triangular_solve,
)
from tapeviz.engine.ops.math import square, zeros_like
from tapeviz.engine.ops.picking import getitem
from tapeviz.engine.specs.dtype_sets import HALF, SOLVABLE
from tapeviz.engine.specs.dtypes import Array, is_complex
from tapeviz.engine.values.convert import unboxed


def _row(x: Array) -> Any:
    return reshape(x, shape=(*x.shape[:-1], 1, x.shape[-1]))


def _inverse(x: object) -> Any:
    """1 / x, and 0 for 0, as in TensorFlow, so that equal values and zeros do not give infinity."""
    return x / (square(x) + 1e-20)


def _apart(values: Array) -> Any:
    """1 / (values_j - values_i), and 0 for equal values and on the diagonal, which derivatives do not contain."""
    return set_diag(_inverse(_row(values) - column(values)), np.zeros(tuple(values.shape), dtype_name(values)))


# ----- determinant -----


def _require_square(op: str, x: Array) -> None:
    square = x.ndim > 1 and x.shape[-1] == x.shape[-2]
    require(square, f"{not_square(x)}. In {op} of shape {x.shape}.")


def _slogdet(x: Array) -> tuple[Any, Any]:
    _require_square("slogdet", x)
    sign, size = lu_cholesky.slogdet(x)
    return unboxed(sign.astype(x.dtype)), unboxed(size.astype(x.dtype))


def _slogdet_rule(g: Array, x: Array) -> Any:
    return reshape(g[1], shape=(*g[1].shape, 1, 1)) * inv(matrix_transpose(x))


slogdet = defop("slogdet", _slogdet, Facts(over="all", recast=True, dtypes=SOLVABLE, no_kernel=HALF), x=_slogdet_rule)

# ----- orthogonal factors -----


@in_single
def _qr(x: Array, *, full_matrices: bool) -> tuple[Any, Any]:
    q, r = np.linalg.qr(x, "complete" if full_matrices else "reduced")
    return q + 0.0, r  # its zeros are never negative in TensorFlow


def _qr_rule(g: Array, out: Array) -> Any:
    """The columns after the square part of a wide matrix are q times those of r, and q does not depend on them."""
    (q, r), (gq, gr) = out, g
    rank, width = q.shape[-1], r.shape[-1]
    if rank > width:
        raise NotImplementedError(
            "QrGrad not implemented when nrows > ncols and full_matrices is true. "
            f"Received r.shape={r.shape} with nrows={rank}and ncols={width}."
        )
    if rank == width:
        return _qr_square_rule(q, r, gq, gr)
    square, behind = ("...", (None, rank, None)), ("...", (rank, None, None))
    g_behind = getitem(gr, index=behind)
    through = matmul(matmul(q, getitem(r, index=behind)), adjoint(g_behind))
    g_square = _qr_square_rule(q, getitem(r, index=square), gq + through, getitem(gr, index=square))
    return concat(g_square, matmul(q, g_behind), axis=-1)


def _qr_square_rule(q: object, r: object, gq: object, gr: object) -> Any:
    inside, scaled = matmul(adjoint(q), gq), matmul(r, adjoint(gr))
    lower = _lower_half(inside - adjoint(inside) + scaled - adjoint(scaled))
    return matmul(q, gr + _over(lower, r)) + _over(gq - matmul(q, inside), r)


def _over(x: object, r: object) -> Any:
    """x times the inverse of the adjoint of an upper triangle."""
    return adjoint(triangular_solve(r, adjoint(x), lower=False))


def _lower_half(x: object) -> Any:
    """The lower triangle, with half of the diagonal."""
    lower = band_part(x, lower=-1, upper=0)
    return set_diag(lower, 0.5 * diag_part(lower))


def _finite(x: Array) -> tuple[Any, Any]:
    """Which matrices are finite, and the matrices with zeros in place of those that are not."""
    finite = np.isfinite(x).all(axis=(-2, -1), keepdims=True)
    return finite, np.where(finite, x, 0)


def _singular(x: Array, full_matrices: bool) -> tuple[Any, ...]:
    """Left vectors, singular values and right vectors; small matrices one by one, for TensorFlow's signs."""
    if is_complex(x) or not x.size or not jacobi_svd.goes(x.shape):
        return tuple(np.linalg.svd(x, full_matrices=full_matrices))
    stacked = x.reshape(-1, *x.shape[-2:])
    found = zip(*[jacobi_svd.singular(each, full_matrices=full_matrices) for each in stacked], strict=True)
    return tuple(np.reshape(each, (*x.shape[:-2], *each[0].shape)) for each in found)


def _svd(x: Array, *, full_matrices: bool) -> tuple[Any, Any, Any]:
    """What holds NaN or infinity has only NaN."""
    finite, known = _finite(x)
    u, s, vt = _singular(known, full_matrices)
    nan = x.dtype.type(np.nan)
    v = np.where(finite, vt, nan).swapaxes(-1, -2)
    return np.where(finite[..., 0], s, nan.real), np.where(finite, u, nan), v.conj() if is_complex(x) else v


def _svd_rule(g: Array, out: Array) -> Any:
    """The VJP of the SVD for the cotangents gs, gu and gv; a full basis may have one vector more than values."""
    (s, u, v), (gs, gu, gv) = out, g
    if max(u.shape[-1], v.shape[-1]) > s.shape[-1] + 1:
        raise NotImplementedError(
            "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True. "
            f"Received: m={u.shape[-2]} and n={v.shape[-2]}. In svd: use full_matrices=False."
        )
    s, gs = (cast_like(each, u) if is_complex(u) else each for each in (s, gs))
    (u, left, left_out), (v, right, right_out) = (_of_values(*pair, s) for pair in ((u, gu), (v, gv)))
    apart, vt = _apart(square(s)), adjoint(v)
    inner = apart * (left - adjoint(left)) * _row(s) + column(s) * apart * (right - adjoint(right))
    inverse = _row(_inverse(s))
    if is_complex(u):  # the vectors on one side turn in the plane of complex numbers, and those on the other with them
        turned = diag_part(right)
        inner = inner + diag((conj(turned) - turned) * _inverse(s) / 2)
    whole = matmul(matmul(u, inner + diag(gs)), vt)
    return whole + matmul(left_out * inverse, vt) + matmul(u * inverse, adjoint(right_out))


def _of_values(vectors: Array, g: Array, s: Array) -> tuple[Any, Any, Any]:
    """The vectors that belong to a value, and their cotangents, along them and orthogonal to their span."""
    count = s.shape[-1]
    first, behind = ("...", (None, count, None)), ("...", (count, None, None))
    own, g_own = getitem(vectors, index=first), getitem(g, index=first)
    along = matmul(adjoint(own), g_own)
    outside = g_own - matmul(own, along)
    if vectors.shape[-1] > count:
        other, g_other = getitem(vectors, index=behind), getitem(g, index=behind)
        outside = outside - matmul(other, matmul(adjoint(g_other), own))
    return own, along, outside


def _eigh(x: Array) -> tuple[Any, Any]:
    _require_square("eigh", x)
    require(not np.isnan(np.tril(x)).any(), f"{tridiagonal_eigh.FAILED} In eigh: it holds NaN.", at_run=True)
    values, vectors = _eigenvectors(x)
    return values.astype(x.dtype), vectors


def _eigenvectors(x: Array) -> tuple[Any, Any]:
    """Eigenvalues and eigenvectors; small matrices one by one, for TensorFlow's signs."""
    if not x.size or x.shape[-1] > tridiagonal_eigh.LARGEST:
        values, vectors = np.linalg.eigh(x)
        return values, vectors
    found = zip(*[tridiagonal_eigh.eigh(each) for each in x.reshape(-1, *x.shape[-2:])], strict=True)
    values, vectors = (np.array(each) for each in found)
    return values.reshape(x.shape[:-1]), vectors.reshape(x.shape)


def _eigh_rule(g: Array, out: Array) -> Any:
    """The gradient of the lower triangle, which alone was read."""
    (w, v), (gw, gv) = out, g
    inner = diag(gw) + matmul(adjoint(v), gv) * _apart(w)
    whole = matmul(matmul(v, inner), adjoint(v))
    return _lower_half(whole + adjoint(whole))


qr = defop(
    "qr",
    _qr,
    Facts(holomorphic=False, dtypes=SOLVABLE),
    x=_qr_rule,
)
svd = defop(
    "svd", _svd, Facts(recast=True, holomorphic=False, free_signs=(1, 2), dtypes=SOLVABLE, no_kernel=HALF), x=_svd_rule
)
eigh = defop(
    "eigh",
    _eigh,
    Facts(over="all", symmetric=True, recast=True, holomorphic=False, free_signs=(1,), dtypes=SOLVABLE, no_kernel=HALF),
    x=_eigh_rule,
)

# ----- functions of a matrix -----


def _pinv(x: Array, *, rcond: float) -> Any:
    """What holds NaN or infinity has only NaN."""
    finite, known = _finite(x)
    return np.where(finite, silent.pinv(known, rcond=rcond), x.dtype.type(np.nan))


def _pinv_rule(g: object, x: object, out: object) -> Any:
    across, back = matrix_transpose(g), matrix_transpose(out)
    aside = across - matmul(x, matmul(out, across))
    above = across - matmul(matmul(across, out), x)
    return matmul(aside, matmul(out, back)) + matmul(matmul(back, out), above) - matmul(matmul(back, g), back)


_REACHES = {
    "f": (3.925724783138660, {3: 4.258730016922831e-1, 5: 1.880152677804762, 7: np.inf}),
    "d": (
        5.371920351148152,
        {3: 1.495585217958292e-2, 5: 2.539398330063230e-1, 7: 9.504178996162932e-1, 9: 2.097847961257068, 13: np.inf},
    ),
}
"""By precision: the norm to which matrices are halved, and for each degree of the approximant the largest norm."""


def _expm(x: Array, *, leading: int) -> Any:
    """Pade's quotient of a matrix halved until its leading rows and columns are small, and squared back (Higham, 2005).

    TensorFlow halves once less than it should. What that leaves out is some 1e-5 in float32, so it is left out here.
    """
    norms = np.max(np.sum(np.abs(x[..., :leading, :leading]), axis=-2), axis=-1, initial=0)
    if not np.isfinite(norms).all():
        return np.full_like(x, np.nan)
    limit, degrees = _REACHES["d" if x.dtype.char in "dD" else "f"]
    wide = x.reshape(-1, *x.shape[-2:]).astype(np.result_type(x.dtype, np.float64)) if x.size else x
    found = []
    for matrix, norm in zip(wide, np.ravel(norms), strict=False):
        degree = next(each for each, end in degrees.items() if norm < end)
        halvings = max(0, int(np.floor(np.log2(norm / limit)))) if norm else 0
        power = _quotient(matrix / 2**halvings, degree)
        for _ in range(halvings):
            power = power @ power
        found.append(power)
    return np.array(found, x.dtype).reshape(x.shape)


def _quotient(x: Array, degree: int) -> Any:
    """Pade's approximant of exp(x), of this degree in numerator and denominator."""
    above = below = term = np.eye(len(x))
    for n in range(1, degree + 1):
        term = term @ x * (degree - n + 1) / (n * (2 * degree - n + 1))
        above, below = above + term, below + (-1) ** n * term
    return np.linalg.solve(below, above)


def _expm_rule(g: Array, x: Array, leading: int) -> Any:
    """The VJP: the upper right block of exp([[x, gᵀ], [0, x]]), which is halved as often as x was."""
    n, gt = x.shape[-1], matrix_transpose(g)
    above, below = concat(x, gt, axis=-1), concat(zeros_like(gt), x, axis=-1)
    whole = expm(concat(above, below, axis=-2), leading=leading)
    return matrix_transpose(getitem(whole, index=("...", (None, n, None), (n, None, None))))


pinv = defop("pinv", _pinv, Facts(dtypes=SOLVABLE, no_kernel=HALF), x=_pinv_rule)
expm = defop("expm", _expm, Facts(over="rows", dtypes=SOLVABLE, no_kernel=HALF), x=_expm_rule)
