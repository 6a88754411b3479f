"""Ops in the order in which they ran -> the same, with loops: a place that is reached again begins a new round.

A loop ends before the first op whose place no earlier round had. Loops may hold loops.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass
class Loop(Generic[T]):
    """Rounds of ops and inner loops; each begins at the place `header`, and `keys` are the places of all in them."""

    header: Hashable
    rounds: list[list[T | Loop[T]]] = field(default_factory=list)
    keys: set[Hashable] = field(default_factory=set)


def find_loops(ops: Sequence[T], place: Callable[[T], Hashable]) -> list[T | Loop[T]]:
    """The ops, with those that ran at the same places again in loops.

    >>> start, loop, end = find_loops("abcbcbcd", str)
    >>> start, loop.rounds, end
    ('a', [['b', 'c'], ['b', 'c'], ['b', 'c']], 'd')
    """
    return _Finder(place).found(ops)


class _Finder(Generic[T]):
    """Takes one op after the other; what stands after a loop in `_items` may be its next round, or come after it."""

    def __init__(self, place: Callable[[T], Hashable]) -> None:
        self._place = place
        self._items: list[T | Loop[T]] = []
        self._where: dict[Hashable, int] = {}

    def found(self, ops: Sequence[T]) -> list[T | Loop[T]]:
        for op in ops:
            key = self._place(op)
            if key in self._where:
                self._go_round(self._where[key], key)
            self._where.setdefault(key, len(self._items))
            self._items.append(op)
        return self._closed(self._items)

    def _go_round(self, start: int, key: Hashable) -> None:
        """The place is reached again: what ran since it was reached last is a round."""
        first = self._items[start]
        loop: Loop[T] = first if isinstance(first, Loop) else Loop(key)
        begin = start + (loop is first)
        done = self._items[begin:]
        del self._items[begin:]
        for item in done:
            self._where.pop(self._key(item), None)
        self._add_round(loop, done)
        self._items[start:] = [loop]
        self._where[key] = start

    def _closed(self, items: Sequence[T | Loop[T]]) -> list[T | Loop[T]]:
        """Items in which every loop has its last round, and what comes after it stays."""
        closed: list[T | Loop[T]] = []
        last: list[T | Loop[T]] = []
        loop: Loop[T] | None = None
        for item in items:
            if loop is not None and self._key(item) in loop.keys:
                last.append(item)
                continue
            if loop is not None:
                self._add_round(loop, last)
                last = []
            closed.append(item)
            loop = item if isinstance(item, Loop) else None
        if loop is not None:
            self._add_round(loop, last)
        return closed

    def _add_round(self, loop: Loop[T], items: Sequence[T | Loop[T]]) -> None:
        if items:
            loop.rounds.append(self._closed(items))
            loop.keys.update(map(self._key, items))

    def _key(self, item: T | Loop[T]) -> Hashable:
        return item.header if isinstance(item, Loop) else self._place(item)
