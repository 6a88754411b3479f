"""A function of tensors -> an error if the tape's derivatives and central differences disagree."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.specs.dtypes import BFLOAT16, DIFFERENTIABLE, float64
from tapeviz.engine.table import OPS
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor, make
from tapeviz.engine.values.convert import array_of, unboxed
from tapeviz.errors import GradientCheckError
from tapeviz.validation import function_first


@dataclass(frozen=True)
class Slope:
    """A derivative of order 1 or 2 along a random direction in one argument, by the tape and by differences."""

    argument: str
    order: int
    tape: float
    numeric: float

    @property
    def error(self) -> float:
        """The difference of the two, relative to the numeric one if that is larger than 1."""
        return abs(self.tape - self.numeric) / max(1.0, abs(self.numeric))


def check_gradients(
    f: Callable[..., Any], *args: object, order: int = 2, tolerance: float | None = None, seed: int = 0
) -> tuple[Slope, ...]:
    """Compare the gradients that a tape computes for a function with central differences.

    All results are added up with random weights. For each argument, the derivative of the sum along a random direction
    is computed both ways, and for the second order the derivative of that. The arguments must not be near kinks.

    Args:
        f: a function that takes and returns tensors, in any structure.
        args: its arguments. Tensors and arrays keep their dtypes; numbers and lists become float64, with which the
            check is most accurate. Arguments that are neither floating nor complex are not checked.
        order: 1, or 2 for the second derivative as well.
        tolerance: the largest allowed error; by default, the cube root of the precision of the coarsest dtype.
        seed: the seed of the random weights and directions.

    Returns:
        The derivatives that were compared, one for each argument and order.

    Raises:
        GradientCheckError: an error is too large. It names the argument and the size of the error.
        TypeError: `f` is not a function.
        ValueError: another order, there is no argument to check, or one is bfloat16.

    >>> import tapeviz as tf
    >>> slopes = tf.check_gradients(lambda x, y: tf.sin(x) * y, [0.5, 1.0], 2.0)
    >>> [(slope.argument, slope.order, slope.error < 1e-6) for slope in slopes]
    [('x', 1, True), ('y', 1, True), ('x', 2, True), ('y', 2, True)]
    >>> tf.check_gradients(lambda x: x * tf.stop_gradient(x), 3.0)
    Traceback (most recent call last):
    tapeviz.errors.GradientCheckError: <lambda>: the derivative of order 1 with respect to x is ...
    """
    function_first(f, "check_gradients")
    if order not in (1, 2):
        raise ValueError(f"check_gradients: order must be 1 or 2, got {order}.")
    check = _Check(f, args, seed)
    slopes = check.slopes(1) + (check.slopes(2) if order == 2 else ())
    allowed = check.precision if tolerance is None else tolerance
    wrong = [each for each in slopes if not each.error <= allowed]
    if wrong:
        worst = max(wrong, key=lambda each: (-each.order, each.error))
        raise GradientCheckError(
            f"{getattr(f, '__name__', f)}: the derivative of order {worst.order} with respect to {worst.argument} is "
            f"{worst.tape:.9g} by the tape and {worst.numeric:.9g} by central differences, an error of "
            f"{worst.error:.3g} where {allowed:.3g} is allowed. Either a VJP on its way is wrong, or "
            f"there is a kink within {check.step:.1g} of the arguments.",
            worst.argument,
            worst.order,
            worst.tape,
            worst.numeric,
        )
    return slopes


class _Check:
    """A function and its arguments, and the random directions and weights by which derivatives become numbers."""

    def __init__(self, f: Callable[..., Any], args: tuple[Any, ...], seed: int) -> None:
        self._f = f
        self._values = [_value(each) for each in args]
        self._names = _names(f, len(args))
        self._places = [i for i, each in enumerate(self._values) if each.dtype.kind in DIFFERENTIABLE]
        if not self._places:
            raise ValueError("check_gradients: none of the arguments is float or complex, there is nothing to check.")
        if any(self._values[i].dtype == BFLOAT16 for i in self._places):
            raise ValueError(
                "check_gradients: the eight bits of bfloat16 are too few for differences: check the function with "
                "arguments of float64, as in tf.cast(x, tf.float64)."
            )
        self._seed = seed
        source = np.random.default_rng(seed)
        self._inner = {i: _drawn(source, self._values[i], -1.0) for i in self._places}
        self._outer = {i: _drawn(source, self._values[i], -1.0) for i in self._places}
        self.precision = float(max(np.finfo(self._values[i].dtype).eps for i in self._places)) ** (1 / 3)
        self.step = self.precision

    def slopes(self, order: int) -> tuple[Slope, ...]:
        """One slope per argument."""
        function, directions = (self._total, self._inner) if order == 1 else (self._derivative, self._outer)
        gradients = self._gradients(function, [make(each) for each in self._values])
        return tuple(
            Slope(
                self._names[place],
                order,
                _number(_along([gradient], [directions[place]])),
                self._difference(function, place, directions[place]),
            )
            for place, gradient in zip(self._places, gradients, strict=True)
        )

    def _total(self, tensors: list[Any]) -> Any:
        """The results, weighted and summed up to one real number."""
        results = [convert_to_tensor(each) for each in nest.flatten(self._f(*tensors))]
        source = np.random.default_rng(self._seed)
        weighted = [
            _summed(each * _drawn(source, each._value, 0.5))
            for each in results
            if each._value.dtype.kind in DIFFERENTIABLE
        ]
        return reduce(add, weighted) if weighted else make(np.float64(0))

    def _derivative(self, tensors: list[Any]) -> Any:
        """The derivative of the total along the first directions."""
        along = _along(self._gradients(self._total, tensors), list(self._inner.values()))
        return make(np.float64(0)) if along is None else along

    def _gradients(self, function: Callable[[list[Any]], Any], tensors: list[Any]) -> list[Any]:
        watched = [tensors[i] for i in self._places]
        with GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(watched)
            result = function(tensors)
        return [None if each is None else convert_to_tensor(each) for each in tape.gradient(result, watched)]

    def _difference(self, function: Callable[[list[Any]], Any], place: int, direction: object) -> float:
        high, low = (_number(function(self._moved(place, direction * way))) for way in (self.step, -self.step))
        return (high - low) / (2 * self.step)

    def _moved(self, place: int, by: object) -> list[Any]:
        values = list(self._values)
        values[place] = unboxed(np.asarray(values[place] + by, values[place].dtype))
        return [make(each) for each in values]


def _value(argument: Any) -> Any:
    exact = isinstance(argument, (TensorLike, np.ndarray, np.generic))
    value = array_of(argument)
    return value if exact or value.dtype.kind != "f" else array_of(argument, float64)


def _names(f: Callable[..., Any], count: int) -> list[str]:
    """The names of a function's positional arguments, as far as they can be known."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        parameters = ()  # type: ignore[assignment]
    known = [each.name for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    return [known[i] if i < len(known) else f"argument {i}" for i in range(count)]


def _drawn(source: np.random.Generator, like: Any, low: float) -> Any:
    """Random numbers in the shape and dtype of an array."""
    drawn = source.uniform(low, 1.5, like.shape)
    if like.dtype.kind == "c":
        drawn = drawn + 1j * source.uniform(low, 1.5, like.shape)
    return unboxed(np.asarray(drawn, like.dtype))


def _summed(tensor: object) -> Any:
    whole = OPS["reduce_sum"](tensor, axis=None, keepdims=False)
    whole = OPS["real"](whole) if whole._value.dtype.kind == "c" else whole
    return OPS["cast"](whole, dtype="float64", source=whole.dtype.name)


def _along(gradients: list[Any], directions: list[Any]) -> Any:
    """The derivative along directions: the sum of gradient times direction; None counts as 0."""
    parts = [
        _summed((OPS["conj"](gradient) if gradient.dtype.is_complex else gradient) * direction)
        for gradient, direction in zip(gradients, directions, strict=True)
        if gradient is not None
    ]
    return reduce(add, parts) if parts else None


def _number(tensor: Any) -> float:
    return 0.0 if tensor is None else float(tensor._value)
