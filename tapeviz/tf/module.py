"""A user's object -> the variables and modules in its attributes (`tf.Module`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.engine.tensors.variable import Variable

IDENTIFIER = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*$")


class Module:
    """A base class of objects that find the variables and modules in their attributes (`tf.Module`).

    Args:
        name: a Python identifier; by default the name of the class in snake case.

    Raises:
        ValueError: the name is not an identifier.

    >>> import tapeviz as tf
    >>> class Line(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.slope, self.offset = tf.Variable(2.0), tf.Variable(1.0)
    >>> [float(v) for v in Line().trainable_variables]
    [1.0, 2.0]
    """

    def __init__(self, name: str | None = None) -> None:
        name = _snake_case(type(self).__name__) if name is None else name
        if not isinstance(name, str):
            raise TypeError(
                f"expected string or bytes-like object, got {type(name).__name__!r}. It is the name of a module."
            )
        if not IDENTIFIER.match(name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers "
                "(e.g. a valid class name)."
            )
        self._name = name
        with EXPORTS["name_scope"](name) as self._name_scope:
            pass

    @property
    def name(self) -> str:
        return self._name

    @property
    def name_scope(self) -> Any:
        """A `tf.name_scope` with the name of the module."""
        return EXPORTS["name_scope"](self._name_scope)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables: its own, by the names of their attributes, and those of its submodules."""
        return tuple(self._flatten(predicate=lambda each: isinstance(each, Variable)))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The variables that tapes watch by default."""
        return tuple(self._flatten(predicate=lambda each: isinstance(each, Variable) and each.trainable))

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """The variables that tapes do not watch by default."""
        return tuple(self._flatten(predicate=lambda each: isinstance(each, Variable) and not each.trainable))

    @property
    def submodules(self) -> tuple[Module, ...]:
        """All modules in its attributes, and in those of these modules."""
        return tuple(self._flatten(predicate=lambda each: isinstance(each, Module)))

    def _flatten(self, recursive: bool = True, predicate: Callable[[Any], bool] | None = None) -> Iterator[Any]:
        """Leaves of the attributes for which a predicate is true, once each; TensorFlow documents it for subclasses.

        A module's own come by the names of the attributes; then, if `recursive`, those of its submodules.
        """
        met = {id(self)}
        waiting = [self]
        while waiting:
            at = waiting.pop()
            below = []
            for leaf in (leaf for name, value in sorted(vars(at).items()) for leaf in _leaves(name, value)):
                if id(leaf) in met:
                    continue
                met.add(id(leaf))
                if recursive and isinstance(leaf, Module):
                    below.append(leaf)
                if predicate is None or predicate(leaf):
                    yield leaf
            waiting += reversed(below)

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """A decorator for a method, which then runs in the name scope of the module."""

        @wraps(method)
        def scoped(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped


def _leaves(name: str, value: Any) -> list[Any]:
    """The leaves of an attribute.

    Raises:
        ValueError: a dict in it has keys that no order can be found for.
    """
    try:
        return nest.flatten(value)
    except TypeError as error:
        raise ValueError(f"Error processing property {name!r} of {value!r}: {error}") from error


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<!^)(?=[A-Z][a-z])", "_", name).lower()
