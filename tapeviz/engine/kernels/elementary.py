"""The elementary functions, each put together from a C library function, a formula of Eigen's and a ufunc."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeviz.engine.kernels import eigen_math, eigen_trig
from tapeviz.engine.kernels.elementwise import LEAST, Elementwise, Formula, OfOne, elementwise, flushed, is_few
from tapeviz.engine.kernels.libm import of_one
from tapeviz.engine.kernels.pairwise import pairwise
from tapeviz.engine.specs.dtypes import Array


def _of_library(
    many: np.ufunc,
    name: str,
    single: Formula | None = None,
    double: Formula | None = None,
    quick: OfOne | None = None,
) -> Elementwise:
    """A function that both NumPy and the C library have, with Eigen's formulas of float32 and float64."""
    formulas = {char: each for char, each in (("f", single), ("d", double)) if each is not None}
    return elementwise(many, of_one(name, many), formulas, quick=quick)


_LOWEST = math.log(LEAST["f"])


def _power(x: float) -> float:
    """The same for a number of float32."""
    return 0.0 if x < _LOWEST else math.exp(x)


exp = flushed(_of_library(np.exp, "exp", eigen_math.exp_single, eigen_math.exp_double, math.exp), _power)
log = _of_library(np.log, "log", eigen_math.log_single, eigen_math.log_double, math.log)
expm1 = _of_library(
    np.expm1,
    "expm1",
    eigen_math.expm1(eigen_math.exp_single, eigen_math.log_single),
    eigen_math.expm1(eigen_math.exp_double, eigen_math.log_double),
)
log1p = _of_library(np.log1p, "log1p", eigen_math.log1p(eigen_math.log_single), eigen_math.log1p(eigen_math.log_double))

sin = _of_library(np.sin, "sin", eigen_trig.sin_single, quick=math.sin)
cos = _of_library(np.cos, "cos", eigen_trig.cos_single, quick=math.cos)
tan = _of_library(np.tan, "tan")
asin = _of_library(np.arcsin, "asin", eigen_trig.asin_single)
acos = _of_library(np.arccos, "acos", eigen_trig.acos_single)
atan = _of_library(np.arctan, "atan", eigen_trig.atan_single, eigen_trig.atan_double)
atan2 = pairwise(
    np.arctan2,
    of_one("atan2", np.arctan2, 2),
    {"f": eigen_trig.atan2(eigen_trig.atan_single), "d": eigen_trig.atan2(eigen_trig.atan_double)},
)

sinh = _of_library(np.sinh, "sinh")
cosh = _of_library(np.cosh, "cosh")
asinh = _of_library(np.arcsinh, "asinh")
acosh = _of_library(np.arccosh, "acosh")
atanh = _of_library(np.arctanh, "atanh", eigen_math.atanh_single, eigen_math.atanh_double)
_tanh = _of_library(np.tanh, "tanh", double=eigen_math.tanh_double)


def tanh(x: Any) -> Any:
    """In float32 by Eigen's formula for all numbers, also those that do not fill a register."""
    if x.dtype.char == "f" and (is_few(x) or type(x) is np.float32):
        return eigen_math.tanh_single(x)
    return _tanh(x)


# ----- the logistic function -----

_exp_of_one = of_one("exp", np.exp)


def _single_sigmoid(x: float) -> float:
    power = np.float32(_exp_of_one["f"](min(x, 16.6355324)))  # from there on the quotient is 1
    return float(power / (1 + power))


def _double_sigmoid(x: float) -> float:
    power = _exp_of_one["d"](x)
    return 1.0 if power == math.inf else power / (1 + power)


def _double_sigmoids(x: Array) -> Any:
    power = eigen_math.exp_double(x)
    return np.where(power == np.inf, 1.0, power / (1 + power))


sigmoid = flushed(
    elementwise(
        lambda x: 1 / (1 + np.exp(-x)),
        {"f": _single_sigmoid, "d": _double_sigmoid},
        {"f": eigen_math.sigmoid_single, "d": _double_sigmoids},
    )
)
