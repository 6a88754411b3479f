"""A user's function with a gradient of the user's own -> one op (`tf.custom_gradient`)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import update_wrapper
from types import MethodType
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.backward.indexed_slices import cotangent_of
from tapeviz.engine.backward.witnesses import Testimony, witness_of
from tapeviz.engine.calling.emit import OpCall, emit
from tapeviz.engine.facts import Facts
from tapeviz.engine.recording import Noticing, current, pass_on_tangents
from tapeviz.engine.rules.batching import Batch, row_by_row
from tapeviz.engine.specs.dtypes import DType
from tapeviz.engine.table import OPS
from tapeviz.engine.tensors.mutable import MutableTensor
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.tensors.variable import Variable
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.events.catalog import marked

around_rows: ContextVar[frozenset[Any] | None] = ContextVar("around_rows", default=None)
"""The tapes and accumulators that are open around a function that TensorFlow vectorizes, to run on many rows at once.

They do not see a custom gradient in it, but the ops of its body; those that are opened in the function see it."""


def recorders() -> frozenset[Any]:
    """The tapes and accumulators that are recording."""
    now = current.get()
    return frozenset((*now.traces, *now.accumulators))


def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """A decorator for a function that returns its result and a function for its gradient (`tf.custom_gradient`).

    The gradient function gets an upstream gradient for each output, and returns a gradient, or None, for each flattened
    positional argument of `f`. If `f` reads other variables, the gradient function must have a keyword argument
    `variables`, and return a pair: the gradients of the arguments, and those of the variables. Ops in the body are not
    differentiated. Ops in the gradient function are, if an outer tape records.

    Args:
        f: the function.

    Raises:
        TypeError: when called, if the body reads variables, and the gradient function does not take `variables`.
        ValueError: when called, if an argument cannot become a tensor; when differentiated, if the number of gradients
            is wrong.

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
    return custom_gradient if f is None else Differentiated(f)


class Differentiated:
    """A function with a custom gradient. As a method, its `self` gets no gradient."""

    __name__: str

    def __init__(self, f: Callable[..., Any]) -> None:
        update_wrapper(self, f)
        self._f = f  # last, as `f` may have an attribute `_f`

    def __get__(self, instance: object, owner: type | None = None) -> Differentiated:
        return self if instance is None else Differentiated(MethodType(self._f, instance))

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """The result of the function, as new tensors."""
        witness = None if kwargs else witness_of(current.get(), self._f, nest.flatten(args))
        result, grad_function, read = _run_body(self._f, args, kwargs)
        operands = [_operand(each) for each in [*nest.flatten(args), *read]]
        outputs = [convert_to_tensor(each) for each in nest.flatten(result)]
        if gets_lost() and current.get().traces:  # TensorFlow has one op there that also passes on the arguments
            return nest.pack_sequence_as(result, list(OPS["identity_n"](*outputs, *operands)[: len(outputs)]))
        if gets_lost() or not any(_followed(each) for each in operands):  # nobody will ask for its gradient
            return nest.pack_sequence_as(result, [OPS["identity"](each) for each in outputs])
        name = getattr(self._f, "__name__", type(self._f).__name__)
        testimony = None if witness is None else witness.testify_of(nest.flatten(args), read, outputs)
        op = CustomCall(name, grad_function, [each._dtype for each in operands], read, testimony)
        many = nest.is_nested(result)
        values = tuple(each._value for each in outputs)
        made = _emit(op, operands, values if many else values[0])
        tensors = made if many else (made,)
        if testimony is not None:
            testimony.outputs = tuple([each._id for each in tensors])
        pass_on_tangents(outputs, tensors)
        return nest.pack_sequence_as(result, list(tensors))


def _operand(value: Any) -> TensorLike:
    """Tensors and variables as they are; anything else as a constant."""
    return value if isinstance(value, TensorLike) else convert_to_tensor(value)


def gets_lost() -> bool:
    """Whether a custom gradient is lost: all tapes that record were opened before a `tf.vectorized_map` around it."""
    around = around_rows.get()
    return around is not None and recorders() <= around


def _followed(operand: TensorLike) -> bool:
    now = current.get()
    return bool(now.accumulators or (now.traces and now.meet(operand)))


def _run_body(
    f: Callable[..., Any], args: Any, kwargs: dict[str, Any]
) -> tuple[Any, Callable[..., Any], list[Variable]]:
    """Run the user's function. Returns its result, its gradient function, and the variables that it has read.

    Tapes record the body like any other code, as the gradient function may use what was computed there.
    """
    now = current.get()
    reads: dict[int, Any] = {}

    def notice(tensor: Any) -> None:
        if tensor._self_watched:
            reads[tensor._id] = tensor
        if isinstance(now, Noticing):  # this is inside the body of another one
            now.notice(tensor)

    current.set(Noticing(now, notice))
    try:
        result, grad_function = f(*args, **kwargs)
    finally:
        current.set(now)
    arguments = [each for each in nest.flatten((args, kwargs)) if isinstance(each, TensorLike)]
    # A weight of Keras' is no argument in TensorFlow's eyes, which see the variable that holds its value.
    given = {each._id for each in arguments if not isinstance(each, MutableTensor) or each._watched is each}
    read = [each._watched for raw_id, each in reads.items() if raw_id not in given]
    if not _takes_variables(grad_function) and read:
        raise TypeError(
            "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: "
            f"{read}. {getattr(f, '__name__', f)} reads them, and they are not its arguments: its gradient function "
            "must take `variables` and return two lists of gradients."
        )
    return result, grad_function, read


def _takes_variables(grad_function: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(grad_function).parameters
    except TypeError:
        raise TypeError(
            "unsupported callable: a function with a gradient of its own returns its result and a function from "
            f"upstream gradients to gradients, and this is none: {grad_function!r}."
        ) from None
    return "variables" in parameters or any(each.kind is each.VAR_KEYWORD for each in parameters.values())


def _emit(op: CustomCall, operands: list[Any], out: object) -> Any:
    now = current.get()
    followed = tuple(now.meet(each) if now.traces else () for each in operands)
    entries = tuple(each._id for each in operands)
    values = tuple(each._value for each in operands)
    return emit(now, OpCall(op, tuple(operands), entries, values, followed, attributes=dict(marked(op.name))), out)


class CustomCall:
    """One call of a function with a custom gradient. It takes the place of an `Op` and of its `Plan`.

    Its rule is the user's gradient function, which holds what it needs. The tape saves nothing for it.
    """

    discrete = True
    facts = Facts(over="all", tangents="transposed", seed_shape="broadcast")
    mask = None  # the user's function decides which of the followed inputs get a cotangent
    only = None
    passes_on = False
    saves: tuple[int, ...] = ()

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        dtypes: Sequence[DType],
        variables: Sequence[Variable],
        testimony: Testimony | None = None,
        followed: tuple[bool, ...] | None = None,
    ) -> None:
        self.name = name
        self._function = function
        self._dtypes = dtypes  # of the arguments, then of the variables
        self._arguments = len(dtypes) - len(variables)
        self._followed = followed or (True,) * len(dtypes)
        self.pulled = tuple([index for index, on in enumerate(self._followed) if on])
        self.pull_arrays = self.cotangents = self.pull
        self._variables = list(variables)
        self._testimony = testimony

    def plan(self, followed: tuple[bool, ...], uneven: bool, apart: object = None) -> CustomCall:
        """The plan for a tape that follows some of the inputs.

        The others get no cotangent, whatever the user's function returns.

        The user's gradients of complex numbers are not conjugated.
        """
        if all(followed):
            return self
        return CustomCall(self.name, self._function, self._dtypes, self._variables, self._testimony, followed)

    def pick(self, out: object, attributes: object, *inputs: object) -> tuple[Any, ...]:
        """Nothing is saved."""
        return ()

    def lift(self, saved: tuple[Any, ...], entries: object, out: object, tensor: object) -> tuple[Any, ...]:
        """Nothing was saved."""
        return saved

    def hands_on_as_is(self, entries: tuple[Any, ...]) -> bool:
        """False: the user's function gets tensors, never slices."""
        return False

    def pull(self, g: object, saved: object) -> tuple[Any, ...]:
        """A cotangent, or None, for each input: the result of the user's function, which is called with tensors."""
        arrived = g if type(g) is tuple else (g,)
        if any(type(each) is Batch for each in arrived):
            return row_by_row(self.pull, (g, saved), {})
        upstream = [each if isinstance(each, TensorLike) else Tensor._new(each) for each in arrived]
        bare = not any(isinstance(each, TensorLike) for each in arrived)
        if self._variables:
            given, of_variables = self._function(*upstream, variables=list(self._variables))
            if len(of_variables) != len(self._variables):
                raise ValueError(
                    f"Must return gradient for each variable from @custom_gradient grad_fn. {self.name} reads "
                    f"{len(self._variables)} variables, got {len(of_variables)} gradients."
                )
            gradients = [*self._checked(given), *of_variables]
        else:
            gradients = self._checked(self._function(*upstream))
        taken = zip(gradients, self._dtypes, self._followed, strict=True)
        pulled = tuple(
            [cotangent_of(each, dtype, bare=bare) if on and each is not None else None for each, dtype, on in taken]
        )
        if self._testimony is not None:
            self._testimony.give(arrived, pulled)
        return pulled

    def _checked(self, given: object) -> list[Any]:
        gradients = nest.flatten(given)
        if len(gradients) != self._arguments:
            raise ValueError(
                f"custom_gradient function expected to return {self._arguments} gradients, "
                f"but returned {len(gradients)} instead. {self.name} takes {self._arguments} flattened arguments: "
                "return one gradient for each."
            )
        return gradients
