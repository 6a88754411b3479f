"""The user's classes and functions by the names under which configs refer to them (`register_keras_serializable`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar, Token
from types import MappingProxyType
from typing import Any, Self, TypeVar

T = TypeVar("T")

_by_name: dict[str, Any] = {}
_names: dict[Any, str] = {}
_in_scope: ContextVar[Mapping[str, Any]] = ContextVar("tapeviz.custom_objects", default=MappingProxyType({}))
"""The names that are known in the `CustomObjectScope` around the code."""


def get_custom_objects() -> dict[str, Any]:
    """The dict of everything that is registered, by name. It may be changed.

    >>> sorted(get_custom_objects())
    []
    """
    return _by_name


def register_keras_serializable(package: str = "Custom", name: str | None = None) -> Callable[[T], T]:
    """A decorator that registers a class or function, so that objects can be made from configs that refer to it.

    Args:
        package: the first part of the registered name, `package>name`.
        name: the second part; by default the name of the class or function.

    Raises:
        ValueError: a class has no `get_config`.

    >>> @register_keras_serializable("mine")
    ... def cubed(x): ...
    >>> get_registered_name(cubed)
    'mine>cubed'
    >>> get_custom_objects().clear()
    """

    def register(value: T) -> T:
        if isinstance(value, type) and not hasattr(value, "get_config"):
            raise ValueError("Cannot register a class that does not have a get_config() method.")
        full = f"{package}>{name or getattr(value, '__name__', value)}"
        _by_name[full], _names[value] = value, full
        return value

    return register


def get_registered_name(obj: Any) -> str:
    """The name under which a class or function is registered, or its own name if it is not.

    >>> get_registered_name(max)
    'max'
    """
    own: str = obj.__name__
    return _names.get(obj, own)


def get_registered_object(name: str, custom_objects: Any = None, module_objects: Any = None) -> Any:
    """The class or function of a name, or None.

    Args:
        name: the name, which is looked up in the `CustomObjectScope`, among everything registered, and in the dicts.
        custom_objects: the first dict.
        module_objects: the second dict.

    >>> get_registered_object("top", {"top": max}) is max
    True
    """
    for known in (_in_scope.get(), _by_name, custom_objects or {}, module_objects or {}):
        if name in known:
            return known[name]
    return None


class CustomObjectScope:
    """A `with` block in which configs may refer to the classes and functions in a dict by their names.

    Args:
        custom_objects: the dict.

    >>> with CustomObjectScope({"top": max}):
    ...     get_registered_object("top") is max
    True
    """

    def __init__(self, custom_objects: Mapping[str, Any]) -> None:
        self.custom_objects = custom_objects or {}
        self._tokens: list[Token[Any]] = []

    def __enter__(self) -> Self:
        self._tokens.append(_in_scope.set(dict(self.custom_objects)))
        return self

    def __exit__(self, *args: Any, **kwargs: Any) -> None:
        _in_scope.reset(self._tokens.pop())


custom_object_scope = CustomObjectScope
