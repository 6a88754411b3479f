"""Classes and their methods -> the same under TensorFlow's names for them, in errors and in `type(x)`."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TypeVar

Class = TypeVar("Class", bound=type)


def known_as(name: str) -> Callable[[Class], Class]:
    """A class that programs know by TensorFlow's name for it: `type(x).__name__` is that, and what Python says of it.

    >>> import tapeviz as tf
    >>> type(tf.constant(1.0)).__name__, type(tf.Variable(1.0)).__name__
    ('EagerTensor', 'ResourceVariable')
    """

    def renamed(kind: Class) -> Class:
        kind.__name__ = name
        return kind

    return renamed


def methods_known_as(name: str) -> Callable[[Class], Class]:
    """A class whose methods Python tells of as another's, where it is called with the wrong arguments.

    >>> import tapeviz as tf
    >>> tf.GradientTape().watch()
    Traceback (most recent call last):
    TypeError: GradientTape.watch() missing 1 required positional argument: 'tensor'
    """

    def renamed(kind: Class) -> Class:
        for method in vars(kind).values():
            function = getattr(method, "__func__", method)
            if isinstance(function, FunctionType):
                function.__qualname__ = f"{name}.{function.__name__}"
        return kind

    return renamed
