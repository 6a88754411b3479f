"""The arguments of a layer's `__init__`, by name -> the arguments for its base class.

TensorFlow's signatures are long, and each class has its own, so that Python's errors are about it; what they have in
common is told once, in the class that uses it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

WAYS = ("initializer", "regularizer", "constraint")
"""What is told of how a weight is to be made: `kernel_initializer` of the weight `kernel`, and so on."""


def passed(arguments: dict[str, Any], *own: str) -> dict[str, Any]:
    """What goes on of the `locals()` at the head of an `__init__`, whose `own` arguments it keeps for itself.

    >>> def start(self, units, rate=0.5, **kwargs):
    ...     return passed(locals(), "rate")
    >>> start(None, 3, name="own")
    {'units': 3, 'name': 'own'}
    """
    kept = {"self", "__class__", "kwargs", *own}
    others: dict[str, Any] = arguments["kwargs"]
    return {name: value for name, value in arguments.items() if name not in kept} | others


def taken(arguments: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Those of these names, which are taken out of the arguments."""
    return {name: arguments.pop(name) for name in names}


def ways_of(settings: Iterable[str], arguments: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """How each weight that a layer has settings for, and was told of, is to be made; it is taken out of the arguments.

    >>> ways_of(("units", "kernel_initializer"), given := dict.fromkeys([f"kernel_{way}" for way in WAYS], "own"))
    {'kernel': ('own', 'own', 'own')}
    >>> given
    {}
    """
    told = [name for name in settings if name.endswith("_initializer") and name in arguments]
    weights = [name.removesuffix("_initializer") for name in told]
    return {weight: tuple(taken(arguments, [f"{weight}_{way}" for way in WAYS]).values()) for weight in weights}
