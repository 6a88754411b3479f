"""A user's function with a gradient of the user's own -> one op (`tf.custom_gradient`)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.batching import Batch, row_by_row
from tapeviz.engine.constant import convert_to_tensor
from tapeviz.engine.emit import Call, emit
from tapeviz.engine.recording import current
from tapeviz.engine.table import OPS
from tapeviz.engine.tensor import Tensor, TensorLike
from tapeviz.engine.variable import Variable


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """Let `f` say what its gradient is: it returns its result and a function from upstream gradients to gradients.

    The returned function gets one upstream gradient per output and gives one gradient, or None, per flattened
    positional argument of `f`; if `f` reads variables that are no arguments, it must take a keyword argument
    `variables` and return a pair (gradients, gradients of the variables). Operations of the body are not
    differentiated through; those of the gradient function are, when an outer tape records.

    Raises:
        TypeError: when called, if the body reads variables and the gradient function takes no `variables`.
        ValueError: when differentiated, if the number of gradients is not that of the arguments.

    >>> import tapeviz as tf
    >>> @tf.custom_gradient
    ... def clipped(x):
    ...     return x, lambda upstream: tf.clip_by_norm(upstream, 0.5)
    >>> v = tf.Variable(2.0)
    >>> with tf.GradientTape() as tape:
    ...     y = clipped(v * v)
    >>> tape.gradient(y, v)
    <tf.Tensor: shape=(), dtype=float32, numpy=2.0>
    """

    @wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        packed = nest.map_structure(convert_to_tensor_or_variable, args)
        inputs = nest.flatten(packed)
        result, grad_function, read = _run_body(f, packed, kwargs, inputs)
        outputs = [convert_to_tensor(each) for each in nest.flatten(result)]
        takes_variables = "variables" in inspect.signature(grad_function).parameters
        if read and not takes_variables:
            names = ", ".join(variable.name for variable in read)
            raise TypeError(
                f"{f.__name__} reads variables ({names}) that are not its arguments: "
                "its gradient function must take a keyword argument `variables` and return two lists of gradients."
            )
        if not any(_followed(each) for each in (*inputs, *read)):  # nobody will ask for its gradient
            outputs = [OPS["identity"](each) for each in outputs]
            return nest.pack_sequence_as(result, outputs) if nest.is_nested(result) else outputs[0]
        op = UserOp(f.__name__, grad_function, len(inputs), read)
        operands = [*inputs, *read]
        values = tuple(each._value for each in outputs)
        tensors = _emit(op, operands, values if nest.is_nested(result) else values[0])
        for accumulator in current.get().accumulators:
            for body, made in zip(outputs, tensors if nest.is_nested(result) else (tensors,), strict=True):
                accumulator.pass_on(body, made)
        return nest.pack_sequence_as(result, list(tensors)) if nest.is_nested(result) else tensors

    return decorated


def convert_to_tensor_or_variable(value: Any) -> TensorLike:
    """Tensors and variables as they are; anything else as a constant."""
    return value if isinstance(value, TensorLike) else convert_to_tensor(value)


def _followed(operand: TensorLike) -> bool:
    now = current.get()
    return bool(now.accumulators or (now.traces and now.meet(operand)))


def _run_body(
    f: Callable[..., Any], args: Any, kwargs: dict[str, Any], inputs: list[TensorLike]
) -> tuple[Any, Callable[..., Any], list[Variable]]:
    """Run the user's function, noticing the variables that it reads.

    Tapes record the body like any other code: its gradient function may use what was computed there.
    """
    now = current.get()
    body = now.noticing_reads()
    current.set(body)
    try:
        result, grad_function = f(*args, **kwargs)
    finally:
        current.set(now)
    arguments = {each._id for each in inputs}
    return result, grad_function, [each for raw_id, each in (body.reads or {}).items() if raw_id not in arguments]


def _emit(op: UserOp, operands: list[Any], out: Any) -> Any:
    now = current.get()
    followed = tuple(now.meet(each) if now.traces else () for each in operands)
    entries = tuple(each._id for each in operands)
    values = tuple(each._value for each in operands)
    return emit(now, Call(op, tuple(operands), entries, values, followed), out)


class UserOp:
    """One call of a function with a custom gradient, as `emit` sees an op; it is its own plan.

    Its rule is the user's function, which holds what it needs itself: the tape saves nothing for it.
    """

    discrete = True
    mask = None  # which inputs get a cotangent is the user's function's to say
    only = None
    saves: tuple[int, ...] = ()

    def __init__(self, name: str, function: Callable[..., Any], arguments: int, variables: Sequence[Variable]) -> None:
        self.name = name
        self._function = function
        self._arguments = arguments
        self.pulled = range(arguments + len(variables))
        self.pull_arrays = self.cotangents = self.pull
        self._variables = list(variables)

    def plan(self, followed: tuple[bool, ...], uneven: bool, conjugated: bool = False) -> UserOp:
        """The call itself; the user's gradients of complex numbers are as the user says."""
        return self

    def pick(self, out: Any, attributes: Any, *inputs: Any) -> tuple[Any, ...]:
        """Nothing is saved."""
        return ()

    def lift(self, saved: tuple[Any, ...], entries: Any, out: Any, tensor: Any) -> tuple[Any, ...]:
        """Nothing was saved."""
        return saved

    def pull(self, g: Any, saved: Any) -> tuple[Any, ...]:
        """Ask the user's function, which works on tensors, for one cotangent per input."""
        arrived = g if type(g) is tuple else (g,)
        if any(type(each) is Batch for each in arrived):
            return row_by_row(self.pull, (g, saved), {})
        upstream = [each if isinstance(each, TensorLike) else Tensor._new(each) for each in arrived]
        bare = not any(isinstance(each, TensorLike) for each in arrived)
        if self._variables:
            given, of_variables = self._function(*upstream, variables=list(self._variables))
            gradients = [*self._checked(given), *of_variables]
        else:
            gradients = self._checked(self._function(*upstream))
        tensors = [None if each is None else convert_to_tensor(each) for each in gradients]
        return tuple(each._value if bare and each is not None else each for each in tensors)

    def _checked(self, given: Any) -> list[Any]:
        gradients = nest.flatten(given)
        if len(gradients) != self._arguments:
            raise ValueError(
                f"custom_gradient function expected to return {self._arguments} gradients, "
                f"but returned {len(gradients)} instead. {self.name} takes {self._arguments} flattened arguments: "
                "return one gradient for each."
            )
        return gradients
