"""TensorFlow's register of gradient functions for graphs (`tf.RegisterGradient`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import tapeviz.engine.ops  # fills the table  # noqa: F401
from tapeviz.engine.op_errors.definitions import definition_of
from tapeviz.engine.table import OPS

F = TypeVar("F", bound=Callable[..., Any])

REGISTERED: dict[str, Callable[..., Any]] = {}
"""The gradient functions by the type of op they were registered for."""
_OTHERS = frozenset(
    (
        *("Add", "BatchMatMulV2", "BiasAdd", "Concat", "Div", "Gather", "Inv", "ReadVariableOp", "Reverse", "Select"),
        *("Slice", "TopK"),
    )
)
"""Types that TensorFlow has beside those, for ops that are the same here."""
_UNREGISTERED = frozenset(("All", "Any", "LowerBound"))
"""The types of ops whose results have no gradients, so that none is registered for them."""
BUILT_IN = (
    {definition_of(name).name for name, op in OPS.items() if not op.facts.unregistered} | _OTHERS
) - _UNREGISTERED
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
            raise KeyError(f"Registering two gradient with name {self._op_type!r}! ({where})")
        REGISTERED[self._op_type] = f
        return f
