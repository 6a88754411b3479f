"""Classes and methods -> TensorFlow's names for them, in errors and in `type(x)`."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)

_named = type.__dict__["__name__"]
_HEAP = 1 << 9
"""CPython's flag of a class that was not defined in C."""


class Shown(type):
    """Metaclass of classes whose repr is that of TensorFlow's class; that of a user's subclass is its own.

    >>> import tapeviz as tf
    >>> type(tf.constant(1.0)), type(tf.float32)
    (<class 'tensorflow.python.framework.ops.EagerTensor'>, <class 'tensorflow.python.framework.dtypes.DType'>)
    """

    def __repr__(cls) -> str:
        name = vars(cls).get("_shown_")
        return type.__repr__(cls) if name is None else f"<class {name!r}>"


class Dotted(Shown):
    """Metaclass of classes that Python's errors name with their module, as they do for classes written in C.

    >>> import tapeviz as tf
    >>> tf.constant(1.0) << 1
    Traceback (most recent call last):
    TypeError: unsupported operand type(s) for <<: 'tensorflow.python.framework.ops.EagerTensor' and 'int'
    """

    @property
    def __name__(cls) -> str:  # type: ignore[override]
        name: str = _named.__get__(cls)
        return name.rpartition(".")[2]


def known_as(name: str, module: str = "") -> Callable[[Class], Class]:
    """Give a class TensorFlow's name for it, in `type(x).__name__` and in Python's errors.

    A `Shown` class is printed as one of that module.

    >>> import tapeviz as tf
    >>> type(tf.constant(1.0)).__name__, type(tf.Variable(1.0)).__name__
    ('EagerTensor', 'ResourceVariable')
    """

    def renamed(kind: Class) -> Class:
        _named.__set__(kind, name)
        if isinstance(kind, Shown):
            kind._shown_ = f"{module}.{name}".removeprefix(".")  # type: ignore[attr-defined]
        return kind

    return renamed


def called(kind: type) -> str:
    """The name of a class in Python's errors: with its module if it is written in C, or `Dotted`.

    >>> import tapeviz as tf
    >>> called(int), called(type(tf.constant(1)))
    ('int', 'tensorflow.python.framework.ops.EagerTensor')
    """
    name: str = _named.__get__(kind)
    return name if kind.__flags__ & _HEAP else f"{kind.__module__}.{name}".removeprefix("builtins.")


def named_after(name: str, function: Any) -> Any:
    """A copy of a function that has another `__qualname__`, by which Python's errors about arguments call it."""
    copy = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__, copy.__annotations__, copy.__doc__ = (
        function.__kwdefaults__, function.__annotations__, function.__doc__,
    )  # fmt: skip
    copy.__qualname__ = name
    return copy


def has_own(*methods: str) -> Callable[[Class], Class]:
    """A decorator for a class whose methods have its own name in Python's errors, though it inherits them.

    TensorFlow's class defines them itself.

    >>> import tapeviz as tf
    >>> tf.keras.optimizers.schedules.ExponentialDecay(0.1, 1, 0.5)()
    Traceback (most recent call last):
    TypeError: ExponentialDecay.__call__() missing 1 required positional argument: 'step'
    """

    def renamed(kind: Class) -> Class:
        for method in methods:
            setattr(kind, method, named_after(f"{kind.__qualname__}.{method}", getattr(kind, method)))
        return kind

    return renamed


def methods_known_as(name: str, *parts: type) -> Callable[[Class], Class]:
    """A decorator that sets the name of a class in Python's errors about arguments of its methods.

    The methods that it inherits from `parts` are renamed, too.

    >>> import tapeviz as tf
    >>> tf.GradientTape().watch()
    Traceback (most recent call last):
    TypeError: GradientTape.watch() missing 1 required positional argument: 'tensor'
    """

    def renamed(kind: Class) -> Class:
        for method in (method for each in (kind, *parts) for method in vars(each).values()):
            function = getattr(method, "__func__", method)
            while isinstance(function, FunctionType):
                function.__qualname__ = f"{name}.{function.__name__}"
                function = getattr(function, "__wrapped__", None)
        return kind

    return renamed
