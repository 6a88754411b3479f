"""A layer's `call` -> its parameters."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from inspect import signature
from typing import Any

_kept = lru_cache(maxsize=1024)
"""It is bounded, because it keeps the class of each `call` alive, and notebooks define classes again and again."""


@_kept
def parameters(call: Callable[..., Any]) -> list[str]:
    """The names of the parameters of a method, without `self`.

    >>> class Own:
    ...     def call(self, inputs, training=None): ...
    >>> parameters(Own.call)
    ['inputs', 'training']
    """
    return list(signature(call).parameters)[1:] or [""]


def require_fitting(call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Check that arguments fit the signature of a method.

    Keywords that it does not accept, such as `training`, are ignored.

    Raises:
        TypeError: there are too many arguments, or one is missing.

    >>> class Own:
    ...     def call(self, query, value): ...
    >>> require_fitting(Own.call, (1,), {})
    Traceback (most recent call last):
        ...
    TypeError: missing a required argument: 'value'
    """
    taken = parameters(call)
    signature(call).bind(None, *args, **{name: each for name, each in kwargs.items() if name in taken})


@_kept
def place_of_training(call: Callable[..., Any]) -> int | None:
    """The index of the parameter `training`, without `self`; None if there is none."""
    names = parameters(call)
    return names.index("training") if "training" in names else None


@_kept
def masks_taken(call: Callable[..., Any]) -> frozenset[str]:
    """The names of the parameters that are masks."""
    return frozenset(name for name in parameters(call) if name == "mask" or name.endswith("_mask"))
