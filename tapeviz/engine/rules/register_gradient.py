"""TensorFlow's register of gradient functions for graphs (`tf.RegisterGradient`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tapeviz.events import catalog

F = TypeVar("F", bound=Callable[..., Any])

REGISTERED: dict[str, Callable[..., Any]] = {}
"""The gradient functions by the type of op they were registered for."""
_OF_RULES_AND_BEFORE = (
    *("AvgPoolGrad", "Conv2DBackpropFilter", "Conv2DBackpropInput", "DepthwiseConv2dNativeBackpropFilter"),
    *("DepthwiseConv2dNativeBackpropInput", "MaxPoolGrad", "MaxPoolGradGrad", "MirrorPadGrad", "ReciprocalGrad"),
    *("RsqrtGrad", "SigmoidGrad", "SqrtGrad", "Concat", "Gather", "Multinomial", "ReadVariableOp", "Reverse", "TopK"),
)
"""TensorFlow's ops that its gradients are made of, and older ones: they are called otherwise in a log."""
BUILT_IN = frozenset(
    [
        each.partition(" ")[0]
        for name, theirs in catalog.TENSORFLOW.items()
        if not catalog.ROWS[name].unregistered
        for each in theirs
    ]
).union(_OF_RULES_AND_BEFORE)
"""The types of TensorFlow's own ops, as far as tapeviz has them: their gradients are registered already."""


class RegisterGradient:
    """Register a gradient function for a type of graph op, as a decorator.

    TensorFlow asks this register when it builds the gradients of a graph, for ops that were written in C++ or renamed
    by `gradient_override_map`. An eager program has neither, so there and here nothing is called by it: a program that
    registers gradients runs. For an op of your own use `tapeviz.defop`; for a function with a gradient of its own
    `tf.custom_gradient`.

    Args:
        op_type: the type of op.

    Raises:
        TypeError: an op type that is no string.
        KeyError: when it decorates: a gradient was registered for this type before, or it is one of TensorFlow's.

    >>> import tapeviz as tf
    >>> @tf.RegisterGradient("Halved")
    ... def halved(op, grad):
    ...     return 0.5 * grad
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: F) -> F:
        before = REGISTERED.get(self._op_type)
        if before is not None or self._op_type in BUILT_IN:
            where = f"Previous registration was in {before.__qualname__ if before else 'TensorFlow itself'}"
            raise KeyError(f"There is a gradient of {self._op_type!r} already: take another name. ({where})")
        REGISTERED[self._op_type] = f
        return f
