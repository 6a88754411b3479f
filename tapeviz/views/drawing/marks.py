"""The shapes and texts that a picture is a list of; their colours are roles of the theme, their lengths are px."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TypeAlias

from tapeviz.views.layout import Point
from tapeviz.views.scene.looks import BADGE_SIZE, badge_width
from tapeviz.views.scene.spots import PILL_HEIGHT


@dataclass(frozen=True)
class Rect:
    """A rounded box; `line` is the role of its border, None for none."""

    x: float
    y: float
    w: float
    h: float
    corner: float
    fill: str
    line: str | None = None
    thickness: float = 1.2
    dash: tuple[float, float] | None = None

    def moved(self, right: float, down: float) -> Rect:
        """The same, elsewhere."""
        return replace(self, x=self.x + right, y=self.y + down)


@dataclass(frozen=True)
class Curve:
    """A stroke from point to point: straight in one column, else an S whose ends run down; or all of it `across`."""

    points: tuple[Point, ...]
    line: str
    thickness: float = 1.4
    dash: tuple[float, float] | None = None
    across: bool = False

    def segments(self) -> Iterator[tuple[Point, ...]]:
        """The start, then per segment its end, or two control points and its end."""
        yield self.points[:1]
        for (x, y), (next_x, next_y) in zip(self.points, self.points[1:], strict=False):
            if (next_y == y) if self.across else (next_x == x):
                yield ((next_x, next_y),)
            elif self.across:
                yield ((x + next_x) / 2, y), ((x + next_x) / 2, next_y), (next_x, next_y)
            else:
                yield (x, (y + next_y) / 2), (next_x, (y + next_y) / 2), (next_x, next_y)

    def moved(self, right: float, down: float) -> Curve:
        """The same, elsewhere."""
        return replace(self, points=tuple((x + right, y + down) for x, y in self.points))


@dataclass(frozen=True)
class Stroke:
    """A straight line from point to point, such as the stroke across a cut wire."""

    start: Point
    end: Point
    line: str
    thickness: float

    def moved(self, right: float, down: float) -> Stroke:
        """The same, elsewhere."""
        (x, y), (to_x, to_y) = self.start, self.end
        return replace(self, start=(x + right, y + down), end=(to_x + right, to_y + down))


@dataclass(frozen=True)
class Polygon:
    """A shape with straight edges and no border, such as the head of an arrow."""

    points: tuple[Point, ...]
    fill: str

    def moved(self, right: float, down: float) -> Polygon:
        """The same, elsewhere."""
        return replace(self, points=tuple((x + right, y + down) for x, y in self.points))


@dataclass(frozen=True)
class Text:
    """One line of text, centred at x (or beginning there), its baseline at y, no wider than `room`.

    `part` says what it is for, where it is to be found: the "strip" of a box shows its value, its "gradient" that.
    """

    x: float
    y: float
    text: str
    role: str
    size: float
    bold: bool = False
    room: float | None = None
    centred: bool = True
    part: str | None = None

    def moved(self, right: float, down: float) -> Text:
        """The same, elsewhere."""
        return replace(self, x=self.x + right, y=self.y + down)


Mark: TypeAlias = Rect | Curve | Stroke | Polygon | Text


@dataclass(frozen=True)
class MarkGroup:
    """The marks of one node or edge, `id` unique in the picture, with a label for whoever cannot see it."""

    id: str
    label: str
    marks: tuple[Mark, ...]

    @property
    def sheets(self) -> tuple[Rect, ...]:
        """The rectangles that a box begins with: one, or a stack of them for a folded group, the foremost last."""
        first = takewhile(lambda mark: isinstance(mark, Rect), self.marks)
        return tuple(mark for mark in first if isinstance(mark, Rect))


@dataclass(frozen=True)
class Picture:
    """A page of groups, painted in order."""

    title: str
    width: float
    height: float
    groups: tuple[MarkGroup, ...]

    def moved(self, right: float, down: float) -> Picture:
        """The same on the same page, elsewhere."""
        groups = (replace(each, marks=tuple(mark.moved(right, down) for mark in each.marks)) for each in self.groups)
        return replace(self, groups=tuple(groups))


def pill(word: str, x: float, y: float, fill: str, ink: str, line: str | None = None) -> Iterator[Mark]:
    """A word in a pill, about a point: its ground, and the word on it."""
    width = badge_width(word)
    border = (line, 1.0) if line else ()
    yield Rect(x - width / 2, y - PILL_HEIGHT / 2, width, PILL_HEIGHT, PILL_HEIGHT / 2, fill, *border)
    yield Text(x, y + 3.5, word, ink, BADGE_SIZE, True, width - 8)
