"""Entries of two programs -> pairs, by their names, or else their values, or their shapes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from tapeviz.events.summary import Summary

Entry = TypeVar("Entry")
Key = Callable[[Entry], Hashable]
Matched = tuple[int | None, int | None]
"""Indices of two entries that are counterparts; None where one has none."""


def counterparts(one: Sequence[Entry], other: Sequence[Entry], keys: Sequence[Key[Entry]]) -> list[Matched]:
    """Pairs of entries, by one key after the other: first by keys that only one entry has, then in order.

    >>> counterparts(["w", "b"], ["B", "W", "c"], [str.lower])
    [(0, 1), (1, 0), (None, 2)]
    """
    found: dict[int, int] = {}
    left, others_left = dict.fromkeys(range(len(one))), dict.fromkeys(range(len(other)))
    for alone in (True, False):
        for key in keys:
            mine = _grouped(one, left, key)
            theirs = _grouped(other, others_left, key)
            for shared in mine.keys() & theirs.keys():
                if alone and len(mine[shared]) + len(theirs[shared]) > 2:
                    continue
                for at, other_at in zip(mine[shared], theirs[shared], strict=False):
                    found[at] = other_at
                    del left[at], others_left[other_at]
    return [*((at, found.get(at)) for at in range(len(one))), *((None, at) for at in others_left)]


def _grouped(entries: Sequence[Entry], left: Iterable[int], key: Key[Entry]) -> dict[Hashable, list[int]]:
    groups: defaultdict[Hashable, list[int]] = defaultdict(list)
    for at in left:
        groups[key(entries[at])].append(at)
    return groups


def axes_of(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape in any layout: a weight is transposed elsewhere, and a scalar may be a vector.

    >>> axes_of((8, 1, 3))
    (3, 8)
    """
    return tuple(sorted(axis for axis in shape if axis != 1))


class GradientSource(NamedTuple):
    """The source of a gradient: its name, its shape, and its first value."""

    name: str
    shape: tuple[int, ...]
    value: Summary | None

    def last_words(self, count: int) -> Hashable:
        """The end of its name: PyTorch's `head.weight` is JAX's `params['head']['weight']`."""
        return tuple(re.findall(r"\w+", self.name)[-count:]), self.axes

    @property
    def axes(self) -> tuple[int, ...]:
        """Its shape in any layout."""
        return axes_of(self.shape)

    @property
    def beginning(self) -> Hashable:
        """Its first value, to three digits."""
        value = self.value
        return self.axes, None if value is None else tuple(f"{each:.3g}" for each in (value.norm, value.mean))


BY_NAME: tuple[Key[GradientSource], ...] = (lambda each: each.name,)
BY_ANY_TRAIT: tuple[Key[GradientSource], ...] = (
    *BY_NAME,
    lambda each: each.last_words(3),
    lambda each: each.last_words(2),
    lambda each: each.beginning,
    lambda each: each.last_words(1),
    lambda each: each.axes,
)
"""For programs in two frameworks."""

NAMED: tuple[Key[str], ...] = (str,)
IN_ORDER: tuple[Key[str], ...] = (str, lambda _: None)
"""For targets: in two frameworks, or where either program has one, those of other names are taken as they come."""
