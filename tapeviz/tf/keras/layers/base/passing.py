"""The arguments of a layer's `__init__`, by name -> the arguments for its base class.

Keras' signatures are long, and each class has its own, which Python's errors are about. What they have in common is
handled once, in the base class that uses it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

WAYS = ("initializer", "regularizer", "constraint")
"""The suffixes of the arguments about how a weight is made: `kernel_initializer`, and so on."""


def passed(arguments: dict[str, Any], *own: str) -> dict[str, Any]:
    """The arguments for the constructor of the base class.

    Args:
        arguments: the `locals()` at the beginning of an `__init__`.
        own: the names of those that the base class does not take.

    >>> def start(self, units, rate=0.5, **kwargs):
    ...     return passed(locals(), "rate")
    >>> start(None, 3, name="own")
    {'units': 3, 'name': 'own'}
    """
    kept = {"self", "__class__", "kwargs", *own}
    others: dict[str, Any] = arguments["kwargs"]
    return {name: value for name, value in arguments.items() if name not in kept} | others


def taken(arguments: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Remove the arguments with some names, and return them."""
    return {name: arguments.pop(name) for name in names}


def ways_of(settings: Iterable[str], arguments: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Remove the initializers, regularizers and constraints from the arguments of a layer, and return them by weight.

    >>> ways_of(("units", "kernel_initializer"), given := dict.fromkeys([f"kernel_{way}" for way in WAYS], "own"))
    {'kernel': ('own', 'own', 'own')}
    >>> given
    {}
    """
    told = [name for name in settings if name.endswith("_initializer") and name in arguments]
    weights = [name.removesuffix("_initializer") for name in told]
    return {weight: tuple(taken(arguments, [f"{weight}_{way}" for way in WAYS]).values()) for weight in weights}
