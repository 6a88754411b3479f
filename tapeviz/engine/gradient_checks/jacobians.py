"""A function and its arguments -> its Jacobians by a tape and by central differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.values.constant import convert_to_tensor, make
from tapeviz.engine.values.convert import unboxed

_STEP = 1.0 / 1024
Matrices = tuple[Any, ...]


def compute_gradient(f: Callable[..., Any], x: Sequence[Any], delta: float | None = None) -> tuple[Matrices, Matrices]:
    """The Jacobians of a function by a tape and by central differences (`tf.test.compute_gradient`).

    Args:
        f: the function.
        x: a list of its arguments.
        delta: the distance of the differences.

    Returns:
        Two tuples, by the tape and by differences, with a matrix for each argument: a row for each number of the
        result, a column for each number of the argument. A complex number counts as two, its real and its imaginary
        part.

    Raises:
        ValueError: `x` is not a list or tuple.
        AssertionError: an argument has no derivative, such as integers.

    >>> import tapeviz as tf
    >>> by_tape, by_differences = compute_gradient(tf.square, [[3.0, 1.0]])
    >>> by_tape[0].tolist(), by_differences[0].tolist()
    ([[6.0, 0.0], [0.0, 2.0]], [[6.0, 0.0], [0.0, 2.0]])
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(
            "`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), not a "
            f"{type(x)}. In compute_gradient: write [x]."
        )
    arguments = [convert_to_tensor(each) for each in x]
    for place, each in enumerate(arguments):
        if not (each.dtype.is_floating or each.dtype.is_complex):
            raise AssertionError(
                f"Cannot compute gradient for unsupported type {each.dtype.name} of argument {place}. Use tf.cast."
            )
    places = range(len(arguments))
    by_tape = tuple(_by_tape(f, arguments, place) for place in places)
    step = _STEP if delta is None else delta
    return by_tape, tuple(_by_differences(f, arguments, place, step) for place in places)


def _by_tape(f: Callable[..., Any], arguments: list[Any], place: int) -> Any:
    """The Jacobian by a tape. Each row is a gradient whose seed is 1 at one number of the result, and 0 elsewhere."""
    source = arguments[place]
    with GradientTape(persistent=True) as tape:
        tape.watch(source)
        y = tensor_of(f(*arguments))
    rows = []
    for at in range(_parts(y._value).size):
        seed = np.zeros(y._value.shape, y._value.dtype)
        _parts(seed)[at] = 1
        gradient = tape.gradient(y, source, output_gradients=make(unboxed(seed)), unconnected_gradients="zero")
        rows.append(_parts(convert_to_tensor(gradient)._value))
    return np.array(rows, _parts(source._value).dtype).reshape(len(rows), -1 if rows else _parts(source._value).size)


def _by_differences(f: Callable[..., Any], arguments: list[Any], place: int, step: float) -> Any:
    """The Jacobian by central differences. Each column is how the result changes with one number of the argument."""
    columns = []
    for at in range(_parts(arguments[place]._value).size):
        ahead, behind = (_parts(_moved(f, arguments, place, at, way * step)) for way in (1, -1))
        columns.append((ahead - behind) / (2 * step))
    if columns:
        return np.array(columns, columns[0].dtype).T
    return np.zeros((_parts(tensor_of(f(*arguments))._value).size, 0), arguments[place]._value.dtype)


def _moved(f: Callable[..., Any], arguments: list[Any], place: int, at: int, step: float) -> Any:
    """The result of the function where one number of an argument is changed by a step."""
    value = np.array(arguments[place]._value)
    _parts(value)[at] += step
    return tensor_of(f(*arguments[:place], make(unboxed(value)), *arguments[place + 1 :]))._value


def _parts(array: object) -> Any:
    """The numbers of an array as a vector, real and imaginary parts apart; a view, if the array is contiguous."""
    flat = np.asarray(array).reshape(-1)
    return flat.view(flat.real.dtype)
