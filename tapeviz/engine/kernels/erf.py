"""Arrays -> their error functions, which NumPy lacks: by Eigen's rational approximations, bit for bit.

Near 0 there is a formula for `erf`, further out one for `erfc`: exp(-x^2) times a factor that changes slowly. Numbers
that fill no register go by the same formulas, but with the C library's exponential.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeviz.engine.kernels.eigen_math import FEW, LANES, clamped, polynomial
from tapeviz.engine.kernels.elementary import exp
from tapeviz.engine.kernels.elementwise import Formula, flush
from tapeviz.engine.specs.dtypes import Array

SLOPE = 2 / math.sqrt(math.pi)
"""The slope of `erf` at 0."""
HALVES = 2.0**27 + 1
"""The factor that splits a float64 into two halves of its digits (Veltkamp)."""


def _erf_single(x: Any) -> Any:
    square = np.minimum(x * x, np.float32(16))  # where it is 1
    p = polynomial(square, 2.1237322e-06, 0.00028619796, 0.0036580483, 0.05243302, 0.18741608, 1.1283791)
    q = polynomial(square, 3.8918573e-05, 0.001143296, 0.014752088, 0.112945676, 0.4994258, 1.0)
    return clamped(x * p / q, 1)


def _erfc_single(x: Any) -> Any:
    x = clamped(x, 11)
    square = x * x
    near = polynomial(square, 0.0005618023, -0.0049138167, 0.026707515, -0.11280011, 0.37612295, -1.1283791)
    inverse = 1 / square
    p = polynomial(inverse, 0.102081165, 0.42920667, 0.3237908, 0.053971976)
    q = polynomial(inverse, 0.017251678, 0.39137164, 1.0, 0.6217324, 0.09566286)
    left = (np.square(x, dtype=np.float64) - square).astype(np.float32)
    return np.where(square > 1, _far(x, square, left, p / (x * q)), x * near + 1)


def _far(x: Array, square: Array, left: Array, ratio: Array) -> Any:
    """exp(-x^2) times a ratio, subtracted from 2 for negative x; `left` is the rounding error of the square."""
    power = exp(-square)
    return (power - power * left) * ratio + np.where(x < 0, x.dtype.type(2), x.dtype.type(0))


def _near_double(square: Array) -> Any:
    """erf(x) / x, for x of up to 1."""
    p = polynomial(
        *(square, 0.00019493725660006057, 0.0018272566210022943, 0.04530336335169011, 0.1421501550361918),
        1.1283791670955126,
    )
    q = polynomial(
        *(square, 2.02944841010831e-05, 0.0006811780589918682, 0.010582026056098615, 0.0932526031437575),
        *(0.4593106281836894, 1.0),
    )
    return p / q


def _far_double(x: Array, square: Any) -> Any:
    """erfc(x), for x between 1 and 28."""
    inverse = 1 / square
    p = polynomial(
        *(inverse, 0.00015252844933226974, 0.010909912393738931, 0.10628604636755033, 0.3349247297313798),
        *(0.4506577621593329, 0.29433039130294825, 0.09879267636060023, 0.01709593539550372),
        *(0.0014249109729504578, 4.4567378313647955e-05),
    )
    q = polynomial(
        *(inverse, 0.00204198510311579, 0.05316030659946044, 0.3426242193784685, 0.856563712430805, 1.0),
        *(0.5968805280570777, 0.18909228547233178, 0.031525054186560056, 0.0025650857518618826),
        7.899362131678838e-05,
    )
    return _far(x, square, _left_of_square(x, square), p / (x * q))


def _left_of_square(x: Array, square: Array) -> Any:
    """The rounding error of the square of a float64, computed from its two halves (Veltkamp)."""
    much = HALVES * x
    half = (x - much) + much
    rest = x - half
    return half * half - square + half * rest + rest * half + rest * rest


def _erf_double(x: Array) -> Any:
    """NaN from 1e154 on, as TensorFlow has it: the square is infinite there."""
    square = x * x
    return np.where(square > 1, 1 - _far_double(x, square), x * _near_double(square))


def _erfc_double(x: Array) -> Any:
    x = clamped(x, 28)
    square = x * x
    return np.where(square > 1, _far_double(x, square), 1 - x * _near_double(square))


def _apart(formula: Formula) -> Formula:
    """erf of the numbers that fill registers, and of the rest, for which Eigen has two different `exp`."""

    def compute(x: Array) -> Any:
        if not 0 < x.size <= FEW:
            return formula(x)
        flat, full = x.reshape(-1), x.size - x.size % LANES[x.dtype.char]
        return np.concatenate([formula(part) for part in (flat[:full], flat[full:]) if part.size]).reshape(x.shape)

    return compute


_erf = {"f": _erf_single, "d": _apart(_erf_double)}
_erfc = {"f": _apart(_erfc_single), "d": _apart(_erfc_double)}


def erf(x: object) -> Any:
    """The error function.

    >>> import numpy as np
    >>> erf(np.array([0.0, 1.0]))
    array([0.        , 0.84270079])
    """
    return _by_dtype(_erf, x)


def erfc(x: object) -> Any:
    """1 less the error function, exact where that is nearly 1.

    >>> import numpy as np
    >>> erfc(np.array([0.0, 5.0]))
    array([1.00000000e+00, 1.53745979e-12])
    """
    return flush(_by_dtype(_erfc, x))


def _by_dtype(formulas: dict[str, Any], x: object) -> Any:
    """Numbers of 16 bits are rounded at the end."""
    x = np.asarray(x)  # Steps would be rounded on the way
    formula = formulas.get(x.dtype.char)
    return formula(x) if formula else formulas["f"](x.astype(np.float32)).astype(x.dtype)
