"""A function of one number -> a ufunc with exactly TensorFlow's digits for few numbers, and NumPy's for many.

Eigen fills registers with numbers, evaluates a formula of its own on them, and asks the C library for the numbers that
are left over. NumPy has other formulas: about a third of its results differ in the last digit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy import float32, float64, floating, ndarray

from tapeviz.engine.kernels.eigen_math import FEW, LANES
from tapeviz.engine.specs.dtypes import Array

ONE, DOUBLE_ONE = float32(1), float64(1)
"""1 in each dtype: a Python number times this is a NumPy scalar, twice as fast as by a call of the class."""

Formula = Callable[[Any], Any]
F = TypeVar("F", bound=Formula)
OfOne = Callable[[float], float]


class Elementwise(Protocol):
    """A function applied to each number; `by_row` fills registers along the last axis alone, as a fused sum does."""

    by_row: Formula

    def __call__(self, x: object, /) -> Any: ...


def is_few(x: object) -> bool:
    """Whether an array is so small that it is computed with TensorFlow's digits."""
    return type(x) is ndarray and 0 < x.size <= FEW and x.dtype.char in LANES


def in_rows(of_one: dict[str, Callable[..., float]], registers: dict[str, Callable[..., Any]], *operands: Array) -> Any:
    """A function of operands of one shape, by the two functions for their dtype; registers fill along the last axis."""
    dtype, count = operands[0].dtype, operands[0].shape[-1]
    full = count - count % LANES[dtype.char] if dtype.char in registers else 0
    if full == count:
        return registers[dtype.char](*operands)
    left = [x[..., full:] for x in operands]
    numbers = [x.reshape(-1).tolist() for x in left]
    by_one = np.array([*map(of_one[dtype.char], *numbers)], dtype).reshape(left[0].shape)
    if not full:
        return by_one
    return np.concatenate([registers[dtype.char](*(x[..., :full] for x in operands)), by_one], -1)


def elementwise(
    many: Formula, of_one: dict[str, OfOne], registers: dict[str, Formula], *, quick: OfOne | None = None
) -> Elementwise:
    """A function of arrays and of NumPy's scalars; of float32 and float64 by these, by `dtype.char`.

    Args:
        many: NumPy's, for all else.
        of_one: those of a number that is left over.
        registers: those of one axis of numbers that fill registers; without it every number is left over.
        quick: Python's own, where it is `of_one` of float64 and rounds to that of float32 but for one in hundreds.
    """
    single, double = quick or of_one["f"], quick or of_one["d"]

    def compute(x: Any) -> Any:
        try:
            if x.size > FEW:
                return many(x)
            kind = type(x)
            if kind is float32:
                return ONE * single(x)
            if kind is float64:
                return DOUBLE_ONE * double(x)
        except (ValueError, OverflowError):  # Python's own raise where there is no number
            return many(x)
        if not is_few(x):
            return many(x)
        made = in_rows(of_one, registers, x.reshape(-1)).reshape(x.shape)
        return made if made.shape else made[()]

    compute.by_row = (  # type: ignore[attr-defined]
        lambda x: in_rows(of_one, registers, x) if is_few(x) else many(x)
    )
    if quick:
        compute.quick = quick  # type: ignore[attr-defined]
    return cast(Elementwise, compute)


LEAST = {char: float(np.finfo(char).smallest_normal) for char in LANES}
"""The smallest normal number of a dtype, by `dtype.char`; numbers nearer to 0 have fewer digits."""


def flush(numbers: object) -> Any:
    """Non-negative numbers with the subnormal ones set to 0; an array is changed in place.

    TensorFlow has its processors do so with every result; here it is done where numbers fall so fast.
    """
    if type(numbers) is ndarray:
        least = LEAST.get(numbers.dtype.char)
        if least is not None and numbers.size and not numbers.item(numbers.argmin()) >= least:  # a NaN is found first
            numbers[numbers < least] = 0
    elif isinstance(numbers, floating) and 0 < numbers < LEAST.get(numbers.dtype.char, 0.0):
        return numbers * 0
    return numbers


def flushed(function: F, quick: OfOne | None = None) -> F:
    """A function without negative results, whose subnormal results become 0; `quick` is as in `elementwise`.

    >>> float(flushed(np.exp)(np.float32(-100)))
    0.0
    """

    def compute(x: object) -> Any:
        return flush(function(x))

    for name, made in vars(function).items():
        setattr(compute, name, made)
    if quick:
        compute.quick = quick  # type: ignore[attr-defined]
    return cast(F, compute)
