"""Classes and scopes -> the names and paths of layers, losses and variables in Keras."""

from __future__ import annotations

import re
from collections import Counter
from contextvars import ContextVar, Token
from typing import Any

from tapeviz.engine.setting import Setting
from tapeviz.engine.tensors.mutable import prefix

_given: Counter[str] = Counter()
"""How often each name was asked for: the second `Dense` is `dense_1`."""
_path: ContextVar[str] = ContextVar("tapeviz.keras.path", default="")


def snake_case(name: str) -> str:
    """The name of a class in snake case.

    >>> snake_case("SparseCategoricalAccuracy"), snake_case("Conv2D"), snake_case("ReLU")
    ('sparse_categorical_accuracy', 'conv2d', 're_lu')
    """
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", re.sub(r"\W+", "", name))
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def unique(name: str) -> str:
    """The name itself the first time, and with a number at its end later."""
    _given[name] += 1
    return name if _given[name] == 1 else f"{name}_{_given[name] - 1}"


def named_after(thing: Any) -> str:
    """A unique name for an object, after its class."""
    return unique(snake_case(type(thing).__name__))


def forget() -> None:
    """Reset the counts (`tf.keras.backend.clear_session`)."""
    _given.clear()


def checked(name: Any) -> str:
    """The name of a layer or a variable, after a check.

    Raises:
        ValueError: it is not a string, or contains a slash, which separates the parts of paths.
    """
    if not isinstance(name, str) or "/" in name:
        raise ValueError(
            f"Argument `name` must be a string and cannot contain character `/`. Received: name={name} "
            f"(of type {type(name)})"
        )
    return name


def below(name: str) -> str:
    """The path of something with a name in the current scope."""
    return f"{_path.get()}/{name}" if _path.get() else name


def is_outermost() -> bool:
    """Whether no layer is being called or built."""
    return not _path.get()


def within(path: str) -> Setting:
    """A block in which paths begin with another path."""
    return Setting(_path, path)


class LayerScope:
    """A block in which paths begin with that of a layer, and names of `tf.Variable` with that of the layer.

    A block inside one of the same layer changes nothing.
    """

    __slots__ = ("_name", "_of_path", "_of_prefix", "_opened")

    _of_path: Token[str]
    _of_prefix: Token[str]

    def __init__(self, path: str, name: str) -> None:
        self._opened, self._name = path, name

    def __enter__(self) -> None:
        before = prefix.get()
        self._of_prefix = prefix.set(before if _path.get() == self._opened else f"{before}{self._name}/")
        self._of_path = _path.set(self._opened)

    def __exit__(self, *error: object) -> None:
        _path.reset(self._of_path)
        prefix.reset(self._of_prefix)
