"""An op as a function, an upstream gradient and the cotangent of an argument -> whether it agrees with differences.

Along any direction u, `c . u` of the cotangent c and the slope of `g . f(x + h u)` at h = 0 are the same number, if the
VJP is right; g is the upstream gradient, and f the op.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from tapeviz.engine.specs.dtypes import DIFFERENTIABLE, FLOATING, finfo
from tapeviz.events.summary import norm
from tapeviz.live.slope import Differences, Measured, slope
from tapeviz.views.words.numbers import number

Verdict: TypeAlias = Literal["agrees", "differs", "kink", "not finite", "not kept"]
"""kink: the slopes to the left and the right of x differ, and the VJP lies between them; not kept: no cotangent."""

DIRECTIONS = 2
"""The number of random directions for an argument that is not a single number; the worst one is reported."""
TOLERANCES = {"float64": 1e-6, "complex128": 1e-6, "float32": 1e-3, "complex64": 1e-3}
"""Relative error up to which two numbers agree, by the dtype that the VJP was computed in."""
COARSE = 3e-2
"""The same for every other dtype, which is a half-precision one."""
ROUNDINGS = 10
"""How many roundings of the upstream gradient a VJP may be off."""
INSIDE = 2
"""How many roundings an element of an output may be off: an op is several steps inside."""


class ComparedSlopes(NamedTuple):
    """Both numbers along one direction, how far they are apart, relatively, and what that means."""

    vjp: float
    difference: float
    error: float
    verdict: Verdict


NOT_KEPT = ComparedSlopes(np.nan, np.nan, np.nan, "not kept")
"""Where there is no cotangent to look at."""


def both(vjp: float, difference: float) -> str:
    """The two numbers in words.

    >>> both(1.0, 0.5)
    '1.0 by the VJP, 0.5 by differences'
    """
    return f"{number(vjp)} by the VJP, {number(difference)} by differences"


def compare(
    target: Measured, at: Any, cotangent: Any, dtype: str, upstream: Sequence[Any], *, symmetric: bool
) -> ComparedSlopes:
    """The comparison along the worst of some directions.

    Args:
        target: `g . f(..., x, ...)` as a function of the argument, and its rounding error.
        at: the argument's value.
        cotangent: what the VJP gave for the argument, computed in `dtype`.
        upstream: the upstream gradients, None for an output that has none.
        symmetric: whether the op is one of symmetric matrices.
    """
    least = ROUNDINGS * sum(norm(each) for each in upstream if each is not None)
    compared = [_along(target, at, along, cotangent, dtype, least) for along in _directions(at, symmetric)]
    return max(compared, key=lambda found: np.nan_to_num(found.error, nan=np.inf))


def _along(target: Measured, at: Any, along: Any, cotangent: Any, dtype: str, least: float) -> ComparedSlopes:
    """The comparison along one direction; `least` is how large rounding makes the upstream gradient's errors."""
    vjp, found, tolerance = _dot(cotangent, along), slope(target, at, along), TOLERANCES.get(dtype, COARSE)
    # A random direction may happen to be almost orthogonal to the gradient: no reason to ask for more digits. And a
    # gradient that rounding made 0, as that of a saturated tanh, is as right as its dtype can be.
    usual = norm(cotangent) if np.ndim(cotangent) else 0.0
    unseen = max(least * float(finfo(dtype).eps), found.noise) / tolerance
    size = max(abs(vjp), abs(found.central), usual, unseen)
    error = float(abs(vjp - found.central) / size) if size else 0.0
    return ComparedSlopes(vjp, found.central, error, _verdict(vjp, found, error, tolerance))


def _verdict(vjp: float, found: Differences, error: float, tolerance: float) -> Verdict:
    if not np.isfinite([vjp, found.central]).all():
        return "not finite"
    if error <= tolerance:
        return "agrees"
    low, high = sorted((found.left, found.right))
    room = tolerance * max(abs(low), abs(high))
    return "kink" if high - low > room and low - room <= vjp <= high + room else "differs"


def wide(value: Any) -> Any:
    """A floating value in double precision, any other as it is."""
    array = np.asarray(value)
    if array.dtype.kind == "c":
        return array.astype(np.complex128)[()]
    return array.astype(np.float64)[()] if array.dtype.kind in FLOATING else value


def _directions(at: Any, symmetric: bool) -> Iterator[Any]:
    """One for a single number; else random ones, of the size of normal numbers, the same at every call.

    Those of square matrices, in an op of `symmetric` ones, are symmetric.
    """
    if np.ndim(at) == 0 and not np.iscomplexobj(at):
        yield np.float64(1.0)
        return
    draw, square = np.random.default_rng(0), np.shape(at)[-1:] == np.shape(at)[-2:-1]
    for _ in range(DIRECTIONS):
        along = draw.standard_normal(np.shape(at))
        if np.iscomplexobj(at):
            along = along + 1j * draw.standard_normal(np.shape(at))
        yield along + np.swapaxes(along, -1, -2).conj() if symmetric and square else along


def _dot(cotangent: Any, tangent: Any) -> float:
    """The pairing of a gradient, which is conjugated as in TensorFlow, and a direction."""
    return float(np.vdot(wide(cotangent), wide(tangent)).real)


def _rounding(value: Any) -> Any:
    """The rounding error of each element; small ones are rounded to a multiple of the smallest subnormal number."""
    array = np.asarray(value)
    if array.dtype.kind not in DIFFERENTIABLE:
        return 0.0
    limits = finfo(array.dtype)
    return INSIDE * np.abs(wide(array)) * float(limits.eps) + float(limits.smallest_subnormal)


def pairing(upstream: list[Any], outputs: Sequence[Any]) -> tuple[float, float]:
    """Gradients against outputs, and what rounding may do to the sum; an entry with no gradient may be infinite."""
    paired = zip(upstream, outputs, strict=True)
    pairs = [(g, np.where(np.equal(g, 0), np.zeros_like(out), out)) for g, out in paired if g is not None]
    noise = sum(float(np.sum(np.abs(g) * _rounding(out))) for g, out in pairs)
    return sum(_dot(g, out) for g, out in pairs), noise
