"""Eigen's formulas for sine, cosine and their inverses, in its own arithmetic, as in `eigen_math`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.kernels.eigen_math import constant, constants, polynomial
from tapeviz.engine.specs.dtypes import Array

_QUARTER = (-1.5703125, -0.000483989715576171875, 1.62865035235881805419921875e-07, 5.564431554416771064e-11)
"""-pi / 2 as a sum of parts, whose products with small integers are exact."""
_LAST, _SIGN = np.array(1, np.int32), np.array(-(2**31), np.int32)
_UP = np.array(30, np.int32)
"""How far the last bit but one is from the sign bit."""


def sin_single(x: Array) -> Any:
    quarters, sine, cosine = _quarters(x, 25966)
    found = np.where(quarters & _LAST, cosine, sine)
    return _signed(found, (quarters << _UP) ^ x.view(np.int32))


def cos_single(x: Array) -> Any:
    quarters, sine, cosine = _quarters(x, 18838)
    found = np.where(quarters & _LAST, sine, cosine)
    return _signed(found, (quarters + _LAST) << _UP)


def _signed(x: Array, bits: Array) -> Any:
    """x, negated where the first bit of an integer is set."""
    return (x.view(np.int32) ^ (bits & _SIGN)).view(np.float32)


def _quarters(x: Any, many: float) -> tuple[Any, Any, Any]:
    """|x| / (pi / 2), rounded to an integer, and the sine and cosine of the remainder."""
    share, magic = constants("f", 0.636619746685028076171875, 12582912)  # so large that its last bit is 1
    size = np.abs(x)
    rounded = size * share + magic
    left, quarters, count = size, rounded.view(np.int32), rounded - magic
    for part in constants("f", *_QUARTER):
        left = count * part + left
    if not np.maximum.reduce(size, None) < many:
        far = (size >= many) & (size < np.inf)
        quarters, left = np.where(far, _far(size), (quarters, left))
        quarters, left = quarters.astype(np.int32), left.astype(np.float32)
    square = left * left
    cosine = polynomial(square, 2.4372266125283204e-05, -0.00138865201734006405, 0.041666619479656219, -0.5, 1.0)
    sine = polynomial(square, -0.00019592341140837026982, 0.0083326873655616851693, -0.16666662039822982556) * square
    return quarters, sine * left + left, cosine


def _far(size: Array) -> Any:
    """The sine and cosine for numbers of any size, whose remainder NumPy computes in float64."""
    wide = size.astype(np.float64)
    angle = np.arctan2(np.sin(wide), np.cos(wide))
    quarters = np.rint(angle / (np.pi / 2))
    return quarters, angle - quarters * (np.pi / 2)


def asin_single(x: Any) -> Any:
    half, one, end = constants("f", 0.5, 1, np.pi / 2)
    size = np.abs(x)
    far = size > half
    near = np.where(far, np.sqrt(half - size * half), size)
    found = polynomial(
        *(near * near, 5.08838854730129241943359375e-2, 3.95139865577220916748046875e-2),
        *(7.550220191478729248046875e-2, 0.16664917767047882080078125, 1.00000011920928955078125),
    )
    found = found * near
    found = np.where(far, end - (found + found), found)
    return np.where(size > one, np.float32(np.nan), np.copysign(found, x))


def acos_single(x: Any) -> Any:
    size, square = np.abs(x), x * x
    even = polynomial(square, 2.36423197202384471893e-3, 2.717843465507030487e-2, 8.880408853292465e-2, 1.5707963705)
    odd = polynomial(square, -1.1368644423782825469970703125e-2, -4.8969544470310211181640625e-2, -0.214591205120087)
    found = np.sqrt(constant(1, "f") - size) * (odd * size + even)
    return np.where(np.signbit(x), constant(np.pi, "f") - found, found)


def atan_single(x: Array) -> Any:
    """For |x| > 1 Eigen uses the processor's approximate reciprocal, and this an exact one: last digits may differ."""
    near = _inverted(x)
    square = near * near
    p = polynomial(square, 1.12026982009410858154296875e-01, 7.296695709228515625e-01, 8.109951019287109375e-01)
    q = polynomial(square, 1.00917108356952667236e-02, 2.8318560123443603515625e-01, 1.0, 8.109951019287109375e-01)
    return _turned_back(near * (p / q), x)


def atan_double(x: Array) -> Any:
    near = _inverted(x)
    square = near * near
    p = polynomial(
        *(square, 2.6667153866462208e-05, 3.0917513112462781e-03, 5.2574296781008604e-02, 3.0409318473444424e-01),
        *(7.5365702534987022e-01, 8.2704055405494614e-01, 3.3004361289279920e-01),
    )
    q = polynomial(
        *(square, 2.7311202462436667e-04, 1.0899150928962708e-02, 1.1548932646420353e-01, 4.9716458728465573e-01),
        *(1.0, 9.3705509168587852e-01, 3.3004361289279920e-01),
    )
    return _turned_back(near * (p / q), x)


def atan2(atan: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """The angle of (x, y): that of y / x, and pi more or less if x is negative."""

    def formula(y: Array, x: Array) -> Any:
        one, half, zero = constants(x.dtype.char, 1, np.pi, 0)
        even = np.copysign(np.sign(y), y) * np.copysign(one, x)
        ratio = np.where(np.abs(x) == np.abs(y), even, y / x)
        return atan(ratio) + np.copysign(np.where(np.signbit(x), half, zero), y)

    return formula


def _inverted(x: Array) -> Any:
    """|x|, or its reciprocal if that is more than 1."""
    one, size = constant(1, x.dtype.char), np.abs(x)
    return np.where(size > one, one / size, size)


def _turned_back(found: Array, x: Array) -> Any:
    """atan(x), from the angle of |x| or of its reciprocal."""
    one, end = constants(x.dtype.char, 1, np.pi / 2)
    return np.copysign(np.where(np.abs(x) > one, end - found, found), x)
