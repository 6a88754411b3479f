"""A layer's `call` -> the arguments that it takes."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from inspect import signature
from typing import Any

_kept = lru_cache(maxsize=1024)
"""Bounded, for it keeps the class of each `call` alive, and in a notebook classes are made anew."""


@_kept
def parameters(call: Callable[..., Any]) -> list[str]:
    """What it takes after `self`, by name.

    >>> class Own:
    ...     def call(self, inputs, training=None): ...
    >>> parameters(Own.call)
    ['inputs', 'training']
    """
    return list(signature(call).parameters)[1:] or [""]


def require_fitting(call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuse arguments that it does not take as they are given, but for what any layer may be told: masks, the phase.

    Raises:
        TypeError: too many, or one is missing.

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
    """Where among its arguments, after `self`, it takes `training`; None if it does not."""
    names = parameters(call)
    return names.index("training") if "training" in names else None


@_kept
def masks_taken(call: Callable[..., Any]) -> frozenset[str]:
    """Those of its arguments that are masks."""
    return frozenset(name for name in parameters(call) if name == "mask" or name.endswith("_mask"))
