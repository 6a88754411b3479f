"""The flight recorder stays bounded and says what it lost."""

from __future__ import annotations

from typing import Any

import pytest

from tapeviz.events.memory.ring import Ring
from tapeviz.events.raw import STRIDE, Missed


def record(number: int) -> tuple[Any, ...]:
    return (number, *[None] * (STRIDE - 1))


def numbers(flat: list[Any]) -> list[Any]:
    return flat[::STRIDE]


def filled(ring: Ring, count: int, start: int = 0) -> Ring:
    for number in range(start, start + count):
        ring.append(*record(number))
    return ring


def test_keeps_everything_that_fits() -> None:
    assert numbers(filled(Ring(10), 10).tail().records()) == list(range(10))


@pytest.mark.parametrize("count", [11, 100, 1_001])
def test_keeps_at_least_its_size_and_never_much_more(count: int) -> None:
    kept = numbers(filled(Ring(10), count).tail().records())
    assert kept[-10:] == list(range(count - 10, count))
    assert len(kept) <= 10 + 10
    assert (kept[0] is Missed) == (0 not in kept)


def test_a_tail_does_not_grow_with_the_ring() -> None:
    ring = filled(Ring(10), 3)
    tail = ring.tail()
    filled(ring, 50, start=3)
    assert numbers(tail.records()) == [0, 1, 2]


def test_since_gives_what_came_after_the_mark() -> None:
    ring = filled(Ring(10), 3)
    mark = ring.mark()
    filled(ring, 4, start=3)
    assert numbers(ring.since(mark).records()) == [3, 4, 5, 6]


def test_since_a_mark_that_was_dropped_says_so() -> None:
    ring = filled(Ring(10), 3)
    mark = ring.mark()
    filled(ring, 500, start=3)
    since = numbers(ring.since(mark).records())
    assert since[0] is Missed
    assert since[-1] == 502


def test_a_ring_needs_room() -> None:
    with pytest.raises(ValueError, match="at least 4"):
        Ring(3)
