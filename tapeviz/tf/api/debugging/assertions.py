"""Assertions on tensors under TensorFlow's names."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import number_of, tensor_of, together, value_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.graph_mode.building import truth_of
from tapeviz.engine.op_errors.reasons import incompatible_shapes
from tapeviz.engine.ops import array
from tapeviz.engine.specs.dtypes import finfo, of_numpy
from tapeviz.engine.values.constant import convert_to_tensor, make
from tapeviz.errors import InvalidArgumentError

_ASSERTIONS = (
    ("debugging.assert_equal assert_equal", operator.eq, "=="),
    ("debugging.assert_less assert_less", operator.lt, "<"),
    ("debugging.assert_less_equal", operator.le, "<="),
    ("debugging.assert_greater assert_greater", operator.gt, ">"),
    ("debugging.assert_greater_equal", operator.ge, ">="),
)
"""TensorFlow's names, what holds, and its sign."""


COMPARED = {"==": "equal", "!=": "not_equal", "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal"}
"""The op that compares, by its sign."""


def _assertion(holds: Callable[[Any, Any], Any], sign: str) -> Callable[..., None]:
    def function(x: Any, y: Any, message: str | None = None, summarize: Any = None, name: str | None = None) -> None:
        _check(holds, sign, x, y, message, summarize)

    return function


@export("debugging.assert_none_equal")
def assert_none_equal(
    x: Any, y: Any, summarize: Any = None, message: str | None = None, name: str | None = None
) -> None:
    """Check that `x != y` holds for all elements.

    Args:
        x: a tensor, or what can become one.
        y: a tensor of the same dtype, broadcast with `x`.
        summarize: how many elements the error shows.
        message: what the error begins with.

    Raises:
        InvalidArgumentError: it does not hold.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_none_equal([1, 2], [2, 1])
    """
    _check(operator.ne, "!=", x, y, message, summarize)


def _check(holds: Callable[[Any, Any], Any], sign: str, x: Any, y: Any, message: str | None, summarize: Any) -> None:
    if x is y and sign == "==":  # as TensorFlow, also if it holds NaN
        return
    left, right = (value_of(each) for each in together(COMPARED[sign], tensor_of(x), tensor_of(y)))
    try:
        held = np.asarray(holds(*np.broadcast_arrays(left, right)))
    except ValueError:
        raise InvalidArgumentError(incompatible_shapes(np.shape(left), np.shape(right))) from None
    if not np.all(held):
        about = [] if message is None else [message]
        about += [f"Condition x {sign} y did not hold.", *_differences(left, right, ~held, _most(summarize))]
        raise InvalidArgumentError("\n".join(map(str, about)), at_run=True)


def _most(summarize: int | None) -> int:
    """How many elements are shown: 3 by default, all for a negative number."""
    return 3 if summarize is None else sys.maxsize if summarize < 0 else summarize


def _differences(left: Any, right: Any, differs: Any, most: int) -> Iterator[Any]:
    """Where two tensors differ, if they have one shape, and their first elements."""
    if most and np.shape(left) == np.shape(right) != ():
        places = np.argwhere(differs)[:most]
        yield f"Indices of first {len(places)} different values:"
        yield places
        for name, values in (("x", left), ("y", right)):
            yield f"Corresponding {name} values:"
            yield values[differs][:most]
    if most:
        for name, values in (("x", left), ("y", right)):
            first = np.ravel(values)[:most]
            yield f"First {len(first)} elements of {name}:"
            yield first


for _names, _holds, _sign in _ASSERTIONS:
    _function = _assertion(_holds, _sign)
    _function.__doc__ = f"""Check that `x {_sign} y` holds for all elements.

    Args:
        x: a tensor, or what can become one.
        y: a tensor of the same dtype, broadcast with `x`.
        message: what the error begins with.
        summarize: how many elements the error shows.

    Raises:
        InvalidArgumentError: it does not hold.
    """
    export(*_names.split())(_function)


@export("debugging.assert_near")
def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    message: str | None = None,
    summarize: Any = None,
    name: str | None = None,
) -> None:
    """Check that `|x - y| < atol + rtol * |y|` holds for all elements.

    Args:
        x: a tensor of floats, or what can become one.
        y: a tensor of the same dtype, broadcast with `x`.
        rtol: the relative tolerance, by default 10 times the epsilon of the dtype.
        atol: the absolute tolerance, by default the same.
        message: what the error begins with.
        summarize: how many elements the error shows.

    Raises:
        InvalidArgumentError: it does not hold.
        ValueError: `y` is a tensor of another dtype.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_near(0.1 + 0.2, 0.3)
    """
    first = tensor_of(x)
    second = convert_to_tensor(y, first.dtype, name="y")
    left, right = map(value_of, together("assert_near", first, second))
    smallest = 10 * finfo(left.dtype).eps
    dtype = of_numpy(left.dtype)
    tolerances = (("rtol", rtol), ("atol", atol))
    r, a = (convert_to_tensor(smallest if each is None else each, dtype, name=called) for called, each in tolerances)
    try:
        held = np.all(np.abs(left - right) < a._value + r._value * np.abs(right))
    except ValueError:
        raise InvalidArgumentError(incompatible_shapes(np.shape(left), np.shape(right))) from None
    tolerance = f"x and y not equal to tolerance rtol = {r!s}, atol = {a!s}"
    told = [before(message), tolerance]
    for called, values in (("x", left), ("y", right)):
        told += [f"{called} (shape={np.shape(values)} dtype={dtype.name}) = ", values]
    Assert(make(held), told, summarize)


def before(message: str | None) -> str:
    """The user's message, as the beginning of an error; empty without one."""
    return f"{message}.  " if message else ""


def elements(values: Any, summarize: int | None) -> list[str]:
    """The texts of the first elements of an array, and "..." if there are more."""
    flat, most = np.ravel(values), _most(summarize)
    return [*map(str, flat[:most]), *(["..."] if flat.size > most else [])]


@export("debugging.Assert", "Assert")
def Assert(condition: Any, data: Any, summarize: int | None = None, name: str | None = None) -> None:
    """Check that a condition is true.

    Args:
        condition: a scalar.
        data: a list of tensors whose first elements the error shows.
        summarize: how many elements of each, 3 by default.

    Raises:
        InvalidArgumentError: the condition is false.
        ValueError: the condition has several elements.

    >>> import tapeviz as tf
    >>> x = tf.constant(1.0)
    >>> tf.debugging.Assert(x > 0.0, [x])
    """
    if truth_of(condition):
        return
    shown = (", ".join(elements(value_of(tensor_of(each)), summarize)) for each in data)
    raise InvalidArgumentError(
        f"Expected '{condition!s}' to be true. Summarized data: " + "\n".join(shown), at_run=True
    )


@export("debugging.check_numerics")
def check_numerics(tensor: Any, message: str | bytes, name: str | None = None) -> Any:
    """The same tensor, after a check that it has no NaN and no infinity. Its gradient is checked as well.

    Args:
        tensor: a tensor of floats, or what can become one.
        message: what the error begins with.

    Raises:
        InvalidArgumentError: it has one.
        TypeError: `message` is not a string.

    >>> import tapeviz as tf
    >>> float(tf.debugging.check_numerics(1.0, "x"))
    1.0
    """
    if not isinstance(message, (str, bytes)):
        raise TypeError(f"check_numerics takes a text as its message, not {message!r}: check_numerics(x, 'loss').")
    text = message.decode() if isinstance(message, bytes) else message
    return array.check_numerics(number_of(tensor, "check_numerics"), message=text)
