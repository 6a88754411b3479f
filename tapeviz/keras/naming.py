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
    """The name of a class in lower case.

    >>> snake_case("SparseCategoricalAccuracy"), snake_case("Conv2D"), snake_case("ReLU")
    ('sparse_categorical_accuracy', 'conv2d', 're_lu')
    """
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", re.sub(r"\W+", "", name))
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def unique(name: str) -> str:
    """The name itself the first time, then with a number at its end."""
    _given[name] += 1
    return name if _given[name] == 1 else f"{name}_{_given[name] - 1}"


def named_after(thing: Any) -> str:
    """A unique name for an object of this class."""
    return unique(snake_case(type(thing).__name__))


def forget() -> None:
    """Reset the counts (`tf.keras.backend.clear_session`)."""
    _given.clear()


def checked(name: Any) -> str:
    """A name that the user gave a layer or a variable.

    Raises:
        ValueError: it is no string, or contains a slash, which separates the parts of paths.
    """
    if not isinstance(name, str) or "/" in name:
        raise ValueError(
            f"Argument `name` must be a string and cannot contain character `/`. Received: name={name} "
            f"(of type {type(name)})"
        )
    return name


def below(name: str) -> str:
    """The path of something called `name` in the open scope."""
    return f"{_path.get()}/{name}" if _path.get() else name


def is_outermost() -> bool:
    """Whether no layer is being called or built around this."""
    return not _path.get()


def within(path: str) -> Setting:
    """A block in which paths begin with `path`."""
    return Setting(_path, path)


class LayerScope:
    """A block in which paths begin with that of a layer, and names of a `tf.Variable` with the layer's.

    A block of the same layer inside of another one changes nothing.
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
