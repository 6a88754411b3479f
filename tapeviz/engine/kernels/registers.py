"""What Eigen makes of registers full of numbers, step by step in the same arithmetic: the same bits come out.

Its formulas (`GenericPacketMathFunctions.h`, most of them after Cephes) reduce a number to a small range, evaluate a
polynomial there or a quotient of two, and go back. These are the ones for AVX without fused multiply-adds. Where
numbers are too small for their dtype's full precision, TensorFlow has 0, and these have what NumPy has: `flushed` in
`elementwise` makes it 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

FEW = 32
"""Numbers in an array up to which they are worked out so. Of more nobody reads the last digits, and NumPy's own
functions take a twentieth of the time."""
LANES = {"f": 8, "d": 4}
"""How many numbers of float32 and float64, by `dtype.char`, are in a register."""
LOG2E, LN2 = 1.4426950408889634074, 0.69314718055994530942


@cache
def constant(value: float, char: str) -> Any:
    """An array without axes: beside a number of Python's or of its own, NumPy takes three times as long."""
    return np.array(value, char)


def constants(char: str, *values: float) -> list[Any]:
    """Several of them."""
    return [constant(each, char) for each in values]


def polynomial(x: Any, *coefficients: Any) -> Any:
    """By Horner's rule, the coefficient of the highest power first; there may be arrays among the numbers."""
    char = x.dtype.char
    total, *others = [constant(each, char) if type(each) is float else each for each in coefficients]
    for each in others:
        total = total * x + each
    return total


def clamped(x: Any, bound: float) -> Any:
    """Numbers between a bound and its negative."""
    low, high = constants(x.dtype.char, -bound, bound)
    return np.maximum(np.minimum(x, high), low)


# ----- exponentials -----


def exp_single(x: Any) -> Any:
    low, high = constants("f", -104, 88.723)
    power, r, square = _reduced(np.minimum(np.maximum(x, low), high))
    found = np.ldexp(exp_near_zero(r, square), power.astype(np.intc))
    return np.maximum(found, x)  # infinite where x is


def exp_near_zero(r: Any, square: Any) -> Any:
    """e to the r, which is at most half of the logarithm of 2, and its square: of float32."""
    even = polynomial(square, 1.37449637986719608306884765625e-3, 4.166965186595916748046875e-2, 0.4999998807907104)
    odd = polynomial(square, 8.36894474923610687255859375e-3, 0.16666518151760101318359375)
    return square * (r * odd + even) + (r + constant(1, "f"))


def _reduced(x: Any) -> tuple[Any, Any, Any]:
    """The power of 2 next to e to the x, the x that is left over, and its square."""
    log2e, half, coarse, fine = constants("f", LOG2E, 0.5, -0.693359375, 2.12194440e-4)
    power = np.floor(x * log2e + half)
    left = power * fine + (power * coarse + x)
    return power, left, left * left


def exp_double(x: Any) -> Any:
    low, high, log2e, half = constants("d", -745.519, 709.784, LOG2E, 0.5)
    coarse, fine, one, two = constants("d", 0.693145751953125, 1.42860682030941723212e-6, 1, 2)
    near = np.minimum(np.maximum(x, low), high)
    power = np.floor(log2e * near + half)
    r = near - power * coarse - power * fine
    square = r * r
    p = polynomial(square, 1.26177193074810590878e-4, 3.02994407707441961300e-2, 1.0) * r
    q = polynomial(square, 3.00198505138664455042e-6, 2.52448340349684104192e-3, 2.27265548208155028766e-1, 2.0)
    return np.maximum(np.ldexp(two * (p / (q - p)) + one, power.astype(np.intc)), x)


def expm1(exp: Callable[[Any], Any], log: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """exp(x) - 1 after Kahan, by the two functions that the kernel has."""

    def formula(x: Any) -> Any:
        one = constant(1, x.dtype.char)
        power = exp(x)
        less, back = power - one, log(power)
        found = np.where(back == power, power, less * (x / back))
        return np.where(power == one, x, np.where(less == -one, less, found))

    return formula


def sigmoid_single(x: Any) -> Any:
    """By the square of exp(x / 2), which needs no way back to numbers that are too small."""
    low, high, half, one = constants("f", -208, 16.6355324, 0.5, 1)
    power, r, square = _reduced(np.minimum(np.maximum(x, low), high) * half)
    even = polynomial(square, 4.1898667812347412109375e-2, 0.49999141693115234375)
    odd = polynomial(square, 8.33471305668354034423828125e-3, 0.16666877269744873046875)
    root = np.ldexp(square * (r * odd + even) + (r + one), power.astype(np.intc))
    found = root * root
    return found / (found + one)


# ----- logarithms -----


def log_single(x: Any) -> Any:
    away, exponent = near_one(x)
    p = polynomial(away, 0.18256296349849254, 1.0000000190281063, 1.0000000190281136)
    q = polynomial(away, 0.049616247954120038, 0.59923249590823520, 1.4999999999999927, 1.0)
    return _with_exponent((away * p) / q, exponent, x)


def log_double(x: Any) -> Any:
    away, exponent = near_one(x)
    square = away * away
    cube = square * away
    p = polynomial(away, 1.01875663804580931796e-4, 4.97494994976747001425e-1, 4.70579119878881725854) * cube
    p = (p + polynomial(away, 1.44989225341610930846e1, 1.79368678507819816313e1, 7.70838733755885391666)) * cube
    q = polynomial(away, 1.0, 1.12873587189167450590e1, 4.52279145837532221105e1) * cube
    q = q + polynomial(away, 8.29875266912776603211e1, 7.11544750618563894466e1, 2.31251620126765340583e1)
    return _with_exponent(away + (p / q - constant(0.5, "d") * square), exponent, x)


def near_one(x: Any) -> tuple[Any, Any]:
    """By how much a number over a power of 2 differs from 1, between the roots of 1/2 and 2; and that power."""
    char = x.dtype.char
    zero, root, one = constants(char, 0, 0.70710678118654752440, 1)
    fraction, exponent = np.frexp(x)
    low = fraction < root
    return fraction - one + np.where(low, fraction, zero), (exponent - low).astype(char)


def _with_exponent(found: Any, exponent: Any, x: Any) -> Any:
    """Added in; of what is not finite and positive it is as NumPy has it."""
    zero, ln2, infinite = constants(x.dtype.char, 0, LN2, np.inf)
    return np.where((x > zero) & (x < infinite), exponent * ln2 + found, np.log(x))


def log1p(log: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """log(1 + x) after Kahan, by the logarithm that the kernel has."""

    def formula(x: Any) -> Any:
        one = constant(1, x.dtype.char)
        more = x + one
        found = log(more)
        return np.where((more == one) | (more == found), x, x * (found / (more - one)))

    return formula


# ----- angles -----

_QUARTER = (-1.5703125, -0.000483989715576171875, 1.62865035235881805419921875e-07, 5.564431554416771064e-11)
"""Parts of minus a quarter turn, whose products with how many there are of it are exact, as long as they are few."""
_LAST, _SIGN = np.array(1, np.int32), np.array(-(2**31), np.int32)
_UP = np.array(30, np.int32)
"""By how many bits the last but one is below the sign."""


def sin_single(x: Any) -> Any:
    quarters, sine, cosine = _quarters(x, 25966)
    found = np.where(quarters & _LAST, cosine, sine)
    return _signed(found, (quarters << _UP) ^ x.view(np.int32))


def cos_single(x: Any) -> Any:
    quarters, sine, cosine = _quarters(x, 18838)
    found = np.where(quarters & _LAST, sine, cosine)
    return _signed(found, (quarters + _LAST) << _UP)


def _signed(x: Any, bits: Any) -> Any:
    """Negated where the first bit is set."""
    return (x.view(np.int32) ^ (bits & _SIGN)).view(np.float32)


def _quarters(x: Any, many: float) -> tuple[Any, Any, Any]:
    """How many quarters of a turn |x| is, rounded, and sine and cosine of what is left of it."""
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


def _far(size: Any) -> Any:
    """The same two of numbers of any size, whose remainder NumPy knows in float64."""
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


def atan_single(x: Any) -> Any:
    """Beyond 1 Eigen has the processor's approximate reciprocal, here it is exact: the last digit may differ."""
    near = _inverted(x)
    square = near * near
    p = polynomial(square, 1.12026982009410858154296875e-01, 7.296695709228515625e-01, 8.109951019287109375e-01)
    q = polynomial(square, 1.00917108356952667236e-02, 2.8318560123443603515625e-01, 1.0, 8.109951019287109375e-01)
    return _turned_back(near * (p / q), x)


def atan_double(x: Any) -> Any:
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
    """The angle of (x, y), by that of y / x and half a turn where x is negative."""

    def formula(y: Any, x: Any) -> Any:
        one, half, zero = constants(x.dtype.char, 1, np.pi, 0)
        even = np.copysign(np.sign(y), y) * np.copysign(one, x)
        ratio = np.where(np.abs(x) == np.abs(y), even, y / x)
        return atan(ratio) + np.copysign(np.where(np.signbit(x), half, zero), y)

    return formula


def _inverted(x: Any) -> Any:
    """|x|, or where that is more than 1 its reciprocal."""
    one, size = constant(1, x.dtype.char), np.abs(x)
    return np.where(size > one, one / size, size)


def _turned_back(found: Any, x: Any) -> Any:
    """The angle whose tangent is x, from that of the reciprocal where it was taken."""
    one, end = constants(x.dtype.char, 1, np.pi / 2)
    return np.copysign(np.where(np.abs(x) > one, end - found, found), x)


# ----- hyperbolic functions, clamped to where they are not yet 1 or -1 -----


def tanh_single(x: Any) -> Any:
    near = clamped(x, 7.90738964080810547)
    square = near * near
    p = polynomial(square, 1.394553628e-8, 2.102733560e-5, 3.520756727e-3, 1.340216100e-1)
    q = polynomial(square, 8.015776984e-7, 3.326951409e-4, 2.597254514e-2, 4.673548340e-1, 1.0)
    return (square * near * p + near) / q


def tanh_double(x: Any) -> Any:
    near = clamped(x, 17.714196154005176)
    square = near * near
    p = polynomial(
        *(square, 2.6158007860482230e-23, 7.6534862268749319e-19, 3.1309488231386680e-15, 4.2303918148209176e-12),
        *(2.4618379131293676e-09, 6.8644367682497074e-07, 9.3839087674268880e-05, 5.9809711724441161e-03),
        1.5184719640284322e-01,
    )
    q = polynomial(
        *(square, 6.463747022670968018e-21, 5.782506856739003571e-17, 1.293019623712687916e-13),
        *(1.123643448069621992e-10, 4.492975677839633985e-08, 8.785185266237658698e-06, 8.295161192716231542e-04),
        *(3.437448108450402717e-02, 4.851805297361760360e-01, 1.0),
    )
    return (square * near * p + near) / q


def atanh_single(x: Any) -> Any:
    square = x * x
    near = polynomial(
        *(square, 0.1819281280040740966796875, 8.2311116158962249755859375e-2, 0.14672131836414337158203125),
        *(0.1997792422771453857421875, 0.3333373963832855224609375),
    )
    return _with_far(x * square * near + x, x, log_single)


def atanh_double(x: Any) -> Any:
    square = x * x
    p = polynomial(
        *(square, 3.3071338469301391e-03, -4.7129526768798737e-02, 1.8185306179826699e-01),
        *(-2.5949536095445679e-01, 1.2306328729812676e-01),
    )
    q = polynomial(
        *(square, -3.8679974580640881e-03, 7.6391885763341910e-02, -4.2828141436397615e-01),
        *(9.8733495886883648e-01, -1.0000000000000000e00, 3.6918986189438030e-01),
    )
    return _with_far(x * square * (p / q) + x, x, log_double)


def _with_far(near: Any, x: Any, log: Callable[[Any], Any]) -> Any:
    """By logarithms beyond 1/2, infinite at 1, NaN beyond that."""
    half, one, infinite, nan = constants(x.dtype.char, 0.5, 1, np.inf, np.nan)
    size = np.abs(x)
    found = np.where(size >= half, half * log((one + x) / (one - x)), near)
    found = np.where(size == one, np.copysign(infinite, x), found)
    return np.where(size > one, nan, found)
