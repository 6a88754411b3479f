"""Eigen's formulas for elementary functions, step by step in the same arithmetic, so that the results are bit-equal.

The formulas (`GenericPacketMathFunctions.h`, mostly after Cephes) reduce a number to a small range, evaluate a
polynomial or a quotient of two there, and scale back. They are those for AVX registers without fused multiply-adds.
Subnormal numbers come out as NumPy has them; TensorFlow flushes them to 0, as does `flushed` in `elementwise`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from tapeviz.engine.specs.dtypes import Array

FEW = 32
"""The largest size of an array that is computed like this: nobody reads the last digits of larger ones, and NumPy's own
functions take a twentieth of the time."""
LANES = {"f": 8, "d": 4}
"""How many numbers a register holds, by `dtype.char`: of float32 and of float64."""
LOG2E, LN2 = 1.4426950408889634074, 0.69314718055994530942


@cache
def constant(value: float, char: str) -> Any:
    """A number as an array without axes, with which NumPy is three times faster than with a scalar."""
    return np.array(value, char)


def constants(char: str, *values: float) -> list[Any]:
    """Several of them."""
    return [constant(each, char) for each in values]


def polynomial(x: Any, *coefficients: Any) -> Any:
    """A polynomial by Horner's rule, the highest power first; coefficients may be arrays."""
    char = x.dtype.char
    total, *others = [constant(each, char) if type(each) is float else each for each in coefficients]
    for each in others:
        total = total * x + each
    return total


def clamped(x: Array, bound: float) -> Any:
    """Numbers clipped to a bound and its negative."""
    low, high = constants(x.dtype.char, -bound, bound)
    return np.maximum(np.minimum(x, high), low)


# ----- exponentials -----


def exp_single(x: Array) -> Any:
    low, high = constants("f", -104, 88.723)
    power, r, square = _reduced(np.minimum(np.maximum(x, low), high))
    found = np.ldexp(exp_near_zero(r, square), power.astype(np.intc))
    return np.maximum(found, x)  # infinite where x is


def exp_near_zero(r: Array, square: Array) -> Any:
    """exp(r) and its square in float32, for |r| of at most log(2) / 2."""
    even = polynomial(square, 1.37449637986719608306884765625e-3, 4.166965186595916748046875e-2, 0.4999998807907104)
    odd = polynomial(square, 8.36894474923610687255859375e-3, 0.16666518151760101318359375)
    return square * (r * odd + even) + (r + constant(1, "f"))


def _reduced(x: object) -> tuple[Any, Any, Any]:
    """The exponent of the power of 2 nearest to exp(x), the remainder of x, and its square."""
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
    """exp(x) - 1 by Kahan's formula, with exp and log of the kernel."""

    def formula(x: Array) -> Any:
        one = constant(1, x.dtype.char)
        power = exp(x)
        less, back = power - one, log(power)
        found = np.where(back == power, power, less * (x / back))
        return np.where(power == one, x, np.where(less == -one, less, found))

    return formula


def sigmoid_single(x: Any) -> Any:
    """exp(x) as the square of exp(x / 2), which has no special case for subnormal numbers."""
    low, high, half, one = constants("f", -208, 16.6355324, 0.5, 1)
    power, r, square = _reduced(np.minimum(np.maximum(x, low), high) * half)
    even = polynomial(square, 4.1898667812347412109375e-2, 0.49999141693115234375)
    odd = polynomial(square, 8.33471305668354034423828125e-3, 0.16666877269744873046875)
    root = np.ldexp(square * (r * odd + even) + (r + one), power.astype(np.intc))
    found = root * root
    return found / (found + one)


# ----- logarithms -----


def log_single(x: Array) -> Any:
    away, exponent = near_one(x)
    p = polynomial(away, 0.18256296349849254, 1.0000000190281063, 1.0000000190281136)
    q = polynomial(away, 0.049616247954120038, 0.59923249590823520, 1.4999999999999927, 1.0)
    return _with_exponent((away * p) / q, exponent, x)


def log_double(x: Array) -> Any:
    away, exponent = near_one(x)
    square = away * away
    cube = square * away
    p = polynomial(away, 1.01875663804580931796e-4, 4.97494994976747001425e-1, 4.70579119878881725854) * cube
    p = (p + polynomial(away, 1.44989225341610930846e1, 1.79368678507819816313e1, 7.70838733755885391666)) * cube
    q = polynomial(away, 1.0, 1.12873587189167450590e1, 4.52279145837532221105e1) * cube
    q = q + polynomial(away, 8.29875266912776603211e1, 7.11544750618563894466e1, 2.31251620126765340583e1)
    return _with_exponent(away + (p / q - constant(0.5, "d") * square), exponent, x)


def near_one(x: Array) -> tuple[Any, Any]:
    """The mantissa of a number between sqrt(1/2) and sqrt(2), less 1, and the exponent."""
    char = x.dtype.char
    zero, root, one = constants(char, 0, 0.70710678118654752440, 1)
    fraction, exponent = np.frexp(x)
    low = fraction < root
    return fraction - one + np.where(low, fraction, zero), (exponent - low).astype(char)


def _with_exponent(found: Array, exponent: Array, x: Array) -> Any:
    """The sum of logarithms; NumPy's result for numbers that are not finite and positive."""
    zero, ln2, infinite = constants(x.dtype.char, 0, LN2, np.inf)
    return np.where((x > zero) & (x < infinite), exponent * ln2 + found, np.log(x))


def log1p(log: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """log(1 + x) by Kahan's formula, with the log of the kernel."""

    def formula(x: Array) -> Any:
        one = constant(1, x.dtype.char)
        more = x + one
        found = log(more)
        return np.where((more == one) | (more == found), x, x * (found / (more - one)))

    return formula


# ----- hyperbolic functions, clamped to where they are not yet 1 or -1 -----


def tanh_single(x: Array) -> Any:
    near = clamped(x, 7.90738964080810547)
    square = near * near
    p = polynomial(square, 1.394553628e-8, 2.102733560e-5, 3.520756727e-3, 1.340216100e-1)
    q = polynomial(square, 8.015776984e-7, 3.326951409e-4, 2.597254514e-2, 4.673548340e-1, 1.0)
    return (square * near * p + near) / q


def tanh_double(x: Array) -> Any:
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


def _with_far(near: Array, x: Array, log: Callable[[Any], Any]) -> Any:
    """By logarithms above 1/2; infinite at 1, NaN above that."""
    half, one, infinite, nan = constants(x.dtype.char, 0.5, 1, np.inf, np.nan)
    size = np.abs(x)
    found = np.where(size >= half, half * log((one + x) / (one - x)), near)
    found = np.where(size == one, np.copysign(infinite, x), found)
    return np.where(size > one, nan, found)
