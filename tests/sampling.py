"""Many things that a long form tries -> the few that the tests try: the same at every run, and none by choice."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")

THOROUGH = os.environ.get("TAPEVIZ_HYPOTHESIS") == "thorough"
"""Whether the tests are to try all there is, as before a release."""


def sample(things: Iterable[T], most: int, name: Callable[[T], str] = str) -> list[T]:
    """At most so many of the things, in their order: those whose names have the least hashes.

    >>> sample(range(100), 4)
    [39, 49, 51, 55]
    """
    everything = list(things)
    ranked = sorted(range(len(everything)), key=lambda at: sha256(name(everything[at]).encode()).digest())
    return [everything[at] for at in sorted(ranked[:most])]


def quarter(things: Iterable[T], name: Callable[[T], str] = str) -> list[T]:
    """A quarter of the things, all of them in thorough tests: for tables of what is complete, and only kept in repair.

    >>> len(quarter(range(100))) in (25, 100)
    True
    """
    everything = list(things)
    return everything if THOROUGH else sample(everything, (len(everything) + 3) // 4, name)
