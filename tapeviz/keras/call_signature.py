"""A layer's `call` -> what it takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from inspect import Parameter, signature
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


@_kept
def places(call: Callable[..., Any]) -> float:
    """How many arguments it takes by position after `self`, infinity for any number."""
    kinds = [each.kind for each in signature(call).parameters.values()]
    return math.inf if Parameter.VAR_POSITIONAL in kinds else kinds.count(Parameter.POSITIONAL_OR_KEYWORD) - 1


@_kept
def place_of_training(call: Callable[..., Any]) -> int | None:
    """Where among its arguments, after `self`, it takes `training`; None if it does not."""
    names = parameters(call)
    return names.index("training") if "training" in names else None


@_kept
def masks_taken(call: Callable[..., Any]) -> frozenset[str]:
    """Those of its arguments that are masks."""
    return frozenset(name for name in parameters(call) if name == "mask" or name.endswith("_mask"))
