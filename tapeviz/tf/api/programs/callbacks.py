"""Calls into plain Python under TensorFlow's names: with NumPy arrays, and with tensors."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import partial, wraps
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.custom_gradient import custom_gradient
from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.array.conversions import stop_gradient
from tapeviz.engine.functions.exports import export
from tapeviz.engine.graph_mode.building import in_graph, running
from tapeviz.engine.notes import note_name
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.specs.dtypes import DIFFERENTIABLE, DType, as_dtype
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.tensors.mutable import MutableTensor
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.errors import (
    InvalidArgumentError,
    OpError,
    OutOfRangeError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
)
from tapeviz.tf.tracing.uncalled import stand_ins


def _as_decorator(function: Any, func: Any, inp: Any, Tout: Any) -> Any:
    """The result of `function` if it is used as a decorator.

    Raises:
        TypeError: dtypes or inputs are missing.
    """
    called = f"tf.{function.__qualname__}"
    if Tout is None:
        raise TypeError(f"{called} needs the dtypes of its results: @{called}(Tout=tf.float32) above the function.")
    if func is None and inp is not None:
        raise TypeError(f"Don't set the `inp` argument when using {called} as a decorator (`func=None`).")
    if func is not None:
        raise TypeError(f"Missing argument `inp`, the list of arguments to the function, of {called}.")

    def decorator(decorated: Callable[..., Any]) -> Callable[..., Any]:
        return wraps(decorated)(lambda *args: function(decorated, args, Tout))

    return decorator


@export("numpy_function")
def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """The result of a Python function that is called with NumPy arrays. No gradient flows through it.

    Without `func` and `inp`, it is a decorator.

    Args:
        func: the function.
        inp: a list of the tensors that become its arguments. In a graph, a scalar becomes a NumPy scalar.
        Tout: the dtype of its result, or a list of dtypes. Eagerly, the results have the dtypes that the function
            returns.
        stateful: ignored.

    Returns:
        A tensor, or a list of tensors if the function returns several values.

    >>> import tapeviz as tf
    >>> float(tf.numpy_function(lambda x: x + 1.0, [tf.constant(2.0)], tf.float32))
    3.0
    """
    if func is None or inp is None or Tout is None:
        return _as_decorator(numpy_function, func, inp, Tout)
    if in_graph.get() is not None:
        return _numbers_in_graph(func, inp, Tout)
    found = nest.flatten(func(*[np.array(each) for each in inp]))
    results = [None if each is None else convert_to_tensor(each) for each in found]
    return results[0] if len(results) == 1 else results


def _numbers_in_graph(func: Callable[..., Any], inp: Any, Tout: Any) -> Any:
    """The results of a function for arrays in a graph, which must have the dtypes that were announced.

    Raises:
        InvalidArgumentError: `func` raised a ValueError or TypeError, or gave other dtypes or more or fewer results.
        UnknownError: it raised something else.
    """
    several, dtypes = _announced(Tout)
    results = stand_ins(dtypes)
    if results is None:
        try:
            with running():
                found = func(*[np.array(each)[()] for each in inp])
                listed = found if isinstance(found, (list, tuple)) else [] if found is None else [found]
                results = [convert_to_tensor(np.asarray(each)) for each in listed]
        except Exception as error:
            raise raised_in("numpy_function", error) from error
        _require_as_many(results, dtypes)
        for place, (result, dtype) in enumerate(zip(results, dtypes, strict=True)):
            said = f"{place}-th value returned by the function is {result.dtype.name}, but expects {dtype.name}"
            require(result.dtype is dtype, f"{said}: `Tout` says so.", at_run=True)
    _leave_open(results)
    return results if several else results[0]


@export("py_function")
def py_function(
    func: Callable[..., Any] | None = None, inp: Any = None, Tout: Any = None, name: str | None = None
) -> Any:
    """The result of a Python function that is called with tensors.

    Gradients flow to the inputs, but only once, and not to variables that the function reads. Without `func` and `inp`,
    it is a decorator.

    Args:
        func: the function.
        inp: a list of the tensors that become its arguments.
        Tout: the dtype of its result, or a list of dtypes.

    Returns:
        A tensor, or a list of tensors if `Tout` is a list.

    Raises:
        InvalidArgumentError: the function raised a ValueError or a TypeError, or returned too few values or another
            dtype.
        UnknownError: it raised another error.

    >>> import tapeviz as tf
    >>> float(tf.py_function(lambda x: x * x, [tf.constant(3.0)], tf.float32))
    9.0
    """
    if func is None or inp is None or Tout is None:
        return _as_decorator(py_function, func, inp, Tout)
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}.")
    several, dtypes = _announced(Tout)
    if (unknown := stand_ins(dtypes)) is not None:
        return unknown if several else unknown[0]
    inputs = [tensor_of(each) for each in inp]
    results = _differentiated_inside(partial(_typed, func, dtypes), inputs)
    _leave_open(results)
    return results if several else results[0] if len(results) == 1 else results


def _leave_open(results: Iterable[Tensor]) -> None:
    """Let a graph know nothing of the shapes of results of Python functions, until `set_shape` says them."""
    graph = in_graph.get()
    if graph is not None:
        graph.open_shapes.update({each._id: TensorShape(None) for each in results})


def _announced(Tout: Any) -> tuple[bool, list[DType]]:
    """Whether a function gives several results, and their dtypes."""
    several = isinstance(Tout, (list, tuple))
    return several, [
        as_dtype(each.dtype if isinstance(each, TensorSpec) else each) for each in (Tout if several else [Tout])
    ]


def _differentiated_inside(run: Callable[..., list[Any]], inputs: list[Any]) -> list[Any]:
    """`run(*inputs)` as one op, whose gradient is that of a tape of its own."""

    def called(*arguments: Any) -> Any:
        apart = [stop_gradient(each) for each in arguments]
        with GradientTape() as tape:
            tape.watch([each for each in apart if each._value.dtype.kind in DIFFERENTIABLE])
            outputs = run(*apart)
        tapes = [tape]

        def gradients(*upstream: Any, variables: Any = None) -> Any:
            if not tapes:
                raise UnknownError("KeyError: a py_function is differentiated once, on a persistent tape too.")
            found = tapes.pop().gradient(outputs, apart, output_gradients=upstream)
            found = [  # slices too are made tensors: an op's outputs are none; in place of None they are one zero
                convert_to_tensor(0 if gradient is None else gradient, each._dtype)
                for gradient, each in zip(found, apart, strict=True)
            ]
            return found if variables is None else (found, [None] * len(variables))

        return outputs, gradients

    called.__name__ = "py_function"  # what the op is called
    results: list[Any] = custom_gradient(called)(*inputs)
    return results


def _typed(func: Callable[..., Any], dtypes: list[Any], *inputs: Any) -> list[Any]:
    """The results of a function, as tensors of the announced dtypes; its errors become those of an op."""
    _name_arguments(func, inputs)
    try:
        with running():
            found = func(*inputs)
        if found is None:
            results = []
        elif isinstance(found, (list, tuple)):
            results = [_converted(each, dtype) for each, dtype in zip(found, dtypes, strict=False)]
        else:
            results = [_converted(found, dtypes[0])]
    except Exception as error:
        raise raised_in("py_function", error) from error
    _require_as_many(results[: len(dtypes)], dtypes)
    return results


def _name_arguments(func: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    """Name tensors in the log by the parameters of a function that is called with them."""
    try:
        bound = inspect.signature(func).bind(*inputs).arguments
    except (TypeError, ValueError):  # one written in C, or a call that is to fail
        return
    for name, each in bound.items():
        note_name(each, name, instead=True)


def _require_as_many(results: list[Any], dtypes: list[DType]) -> None:
    counts = f"returns {len(results)} values, but expects to see {len(dtypes)} values"
    require(len(results) == len(dtypes), f"The function {counts}. `Tout` has as many dtypes.", at_run=True)


def raised_in(op: str, error: Exception) -> OpError:
    """The error of an op that runs a Python function which raised `error`."""
    kind = next((ours for theirs, ours in _RAISED.items() if isinstance(error, theirs)), UnknownError)
    found: OpError = kind(f"{type(error).__name__}: {error}\nIn {op}, which ran it.")
    found.in_graph = None  # a graph meets it no earlier
    return found


_RAISED: dict[type[Exception], Any] = {
    ValueError: InvalidArgumentError,
    TypeError: InvalidArgumentError,
    StopIteration: OutOfRangeError,
    MemoryError: ResourceExhaustedError,
    NotImplementedError: UnimplementedError,
}
"""The class of a function's error -> that of the op's; for others it is an UnknownError."""


def _converted(value: Any, dtype: Any) -> Any:
    if isinstance(value, MutableTensor):
        raise RuntimeError(f"A py_function cannot return a variable: return `.read_value()` of {value.name}.")
    return convert_to_tensor(value, dtype)
