"""Boxes, wires, words -> where the word of a wire stands: beside it, clear of the boxes and of the other words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from tapeviz.views.layout import Point

FROM_WIRE = 12.0
"""How far from its wire a word begins, which leaves room for the strokes of a cut."""
PILL_HEIGHT = 16.0
UP = (20.0, 50.0)
"""How far above, or below, a wire that runs across the middle of its word is: near it, or clear of boxes."""


class Area(NamedTuple):
    """A rectangle of the picture, by its four sides, in px."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Area) -> bool:
        """Whether two rectangles have a part in common."""
        apart = self.right <= other.left or other.right <= self.left
        return not apart and self.top < other.bottom and other.top < self.bottom


@dataclass(frozen=True)
class Spot:
    """A point of the wire, and the middle of the word beside it."""

    on_wire: Point
    badge: Point

    def area(self, width: float) -> Area:
        """What the word takes up, with the strokes of a cut."""
        (x, y), (middle, level) = self.on_wire, self.badge
        left, right = min(x - FROM_WIRE, middle - width / 2), max(x + FROM_WIRE, middle + width / 2)
        return Area(left, min(y, level) - PILL_HEIGHT / 2, right, max(y, level) + PILL_HEIGHT / 2)


def find_spots(
    wires: Sequence[tuple[Sequence[Point], float]], taken: Iterable[Area], across: bool = False
) -> list[Spot]:
    """A spot for the word of each wire, given its points and the word's width; where all are taken, the middle.

    Beside a wire that runs down, above or below one that runs `across`.
    """
    occupied = list(taken)
    found = []
    for points, width in wires:
        candidates = list(_candidates(points, width, across))
        free = (each for each in candidates if not any(each.area(width).overlaps(area) for area in occupied))
        spot = next(free, candidates[0])
        occupied.append(spot.area(width))
        found.append(spot)
    return found


def _candidates(points: Sequence[Point], width: float, across: bool) -> Iterator[Spot]:
    """In the middle, at the head, at the tail; to the right, to the left; of what runs across, above, below."""
    middle = ceil((len(points) - 1) / 2)
    for segment, share in ((middle, 0.5), (len(points) - 1, 0.75), (1, 0.25)):
        x, y = _along(points[segment - 1], points[segment], share, across)
        if across:
            yield from (Spot((x, y), (x, y - side * up)) for up in UP for side in (1, -1))
        else:
            yield from (Spot((x, y), (x + side * (FROM_WIRE + width / 2), y)) for side in (1, -1))


def _along(start: Point, end: Point, share: float, across: bool) -> Point:
    """A point of the S that a segment is painted as: a Bezier curve that leaves and arrives along the flow."""
    if across:
        y, x = _along(start[::-1], end[::-1], share, False)
        return x, y
    bend = share * share * (3 - 2 * share)
    middle = (start[1] + end[1]) / 2
    rest = 1 - share
    y = rest**3 * start[1] + 3 * rest * share * middle + share**3 * end[1]
    return round(start[0] + (end[0] - start[0]) * bend, 2), round(y, 2)
