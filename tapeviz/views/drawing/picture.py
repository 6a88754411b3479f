"""Scene -> Picture: a list of shapes and texts whose colours are roles; `svg` and `canvas` paint it.

`frontend/graph/box.js` and `wire.js` draw the same shapes: a test holds them to that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tapeviz.views.scene import Scene, SceneEdge, SceneFrame, SceneNode
from tapeviz.views.scene.badges import PILL_HEIGHT, Point, Spot
from tapeviz.views.scene.looks import (
    BADGE_CORNER,
    BADGE_SIZE,
    PADDING,
    STRIP_HEIGHT,
    SUBTITLE_SIZE,
    TITLE_SIZE,
    badge_width,
    is_histogram,
)
from tapeviz.views.scene.metrics import text_width
from tapeviz.views.words.levels import LEVELS

CORNERS = {"variable": 99.0, "op": 9.0, "constant": 4.0, "state": 4.0, "group": 9.0}
STACKED = 4.0
"""How far each sheet of a stack stands out from the one before it."""
STRIP_FOOT, BAR = 7.0, 12.0
STRIP_SIDES = {"variable": 18.0}
"""How far above the lower side of a box its strip stands, its highest bar, and how far it keeps from round sides."""


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


@dataclass(frozen=True)
class Curve:
    """A stroke from point to point: straight down in one column, else an S whose ends run down."""

    points: tuple[Point, ...]
    line: str
    thickness: float = 1.4
    dash: tuple[float, float] | None = None

    def segments(self) -> Iterator[tuple[Point, ...]]:
        """The start, then per segment its end, or two control points and its end."""
        yield self.points[:1]
        for (x, y), (next_x, next_y) in zip(self.points, self.points[1:], strict=False):
            middle = (y + next_y) / 2
            yield ((next_x, next_y),) if next_x == x else ((x, middle), (next_x, middle), (next_x, next_y))


@dataclass(frozen=True)
class Stroke:
    """A straight line."""

    start: Point
    end: Point
    line: str
    thickness: float


@dataclass(frozen=True)
class Polygon:
    """A filled shape."""

    points: tuple[Point, ...]
    fill: str


@dataclass(frozen=True)
class Text:
    """One line of text, centred at x (or beginning there), its baseline at y, no wider than `room`."""

    x: float
    y: float
    text: str
    role: str
    size: float
    bold: bool = False
    room: float | None = None
    centred: bool = True


Mark: TypeAlias = Rect | Curve | Stroke | Polygon | Text


@dataclass(frozen=True)
class MarkGroup:
    """The marks of one node or edge, `id` unique in the picture, with words for who cannot see it."""

    id: str
    label: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Picture:
    """A page of groups, painted in order."""

    title: str
    width: float
    height: float
    groups: tuple[MarkGroup, ...]


def picture(scene: Scene, *, upstream: bool = False) -> Picture:
    """The picture of a scene: frames, wires over them, then titles of frames and boxes, the words of wires on top.

    The arrows of wires point down, with the program, or `upstream`, as gradients go.
    """
    groups = [_frame(frame) for frame in scene.frames]
    groups += [_wire(index, edge, scene.nodes, upstream) for index, edge in enumerate(scene.edges)]
    groups += [_title(frame) for frame in scene.frames]
    groups += [_box(node) for node in scene.nodes]
    groups += [_word(index, edge, edge.spot) for index, edge in enumerate(scene.edges) if edge.spot]
    return Picture(scene.title, scene.width, scene.height, tuple(groups))


def _frame(frame: SceneFrame) -> MarkGroup:
    border = Rect(frame.x, frame.y, frame.w, frame.h, CORNERS["group"], "frame", "frame-line", 1.0)
    return MarkGroup(frame.id, frame.title, (border,))


def _title(frame: SceneFrame) -> MarkGroup:
    """On a ground of its own, so that a wire behind it does not run through its letters."""
    x, y = frame.x + PADDING, frame.y + 18
    width = text_width(frame.title, SUBTITLE_SIZE, bold=True)
    ground = Rect(x - 3, y - 11, width + 6, 15, 4.0, "frame")
    words = Text(x, y, frame.title, "soft", SUBTITLE_SIZE, True, centred=False)
    return MarkGroup(f"{frame.id}.title", frame.title, (ground, words))


def _box(node: SceneNode) -> MarkGroup:
    x, y = node.x, node.y
    fill, line, thickness, dash = look(node)
    faded = "none" not in node.flags and not {"dead", "skipped"}.isdisjoint(node.flags)
    title, subtitle = ("faint", "faint") if faded else ("ink", "soft")
    middle, room = x + node.w / 2, node.w - 18
    corner = min(CORNERS[node.kind], node.h / 2)
    sheets = 0 if node.kind != "group" else 2 if "repeat" in node.flags else 1
    marks: list[Mark] = [
        Rect(x + out, y + out, node.w, node.h, corner, fill, line, thickness, dash)
        for out in (STACKED * sheet for sheet in range(sheets, -1, -1))
    ]
    words = node.h - (STRIP_HEIGHT if node.strip else 0.0)
    if node.subtitle:
        marks.append(Text(middle, y + 17, node.title, title, TITLE_SIZE, True, room))
        marks.append(Text(middle, y + words - 9, node.subtitle, subtitle, SUBTITLE_SIZE, False, room))
    else:
        marks.append(Text(middle, y + words / 2 + 4.5, node.title, title, TITLE_SIZE, True, room))
    if node.strip and is_histogram(node.strip):
        side = STRIP_SIDES.get(node.kind, PADDING)
        marks.append(Polygon(bars(node.strip[1:], x + side, y + node.h - STRIP_FOOT, node.w - 2 * side), line))
    elif node.strip:
        marks.append(Text(middle, y + node.h - STRIP_FOOT - 1, node.strip, title, SUBTITLE_SIZE, True, room))
    if node.badge:
        marks += _badge(node.badge, x + node.w - BADGE_CORNER, y, _badge_roles(node.flags))
    kind = None if node.kind == "op" else node.kind
    return MarkGroup(
        node.id,
        ", ".join(filter(None, (node.whole or node.title, "" if node.whole else node.subtitle, kind, node.badge))),
        tuple(marks),
    )


def bars(letters: str, left: float, foot: float, width: float) -> tuple[Point, ...]:
    """The outline of a histogram, from its foot up."""
    wide = width / len(letters)
    points = [(left, foot)]
    for index, letter in enumerate(letters):
        top = foot - BAR * LEVELS.index(letter) / (len(LEVELS) - 1)
        points += [(left + index * wide, top), (left + (index + 1) * wide, top)]
    return tuple((round(x, 1), round(y, 1)) for x, y in [*points, (left + width, foot)])


def look(node: SceneNode) -> tuple[str, str, float, tuple[float, float] | None]:
    """How a box looks: fill, border, thickness and dash of the border."""
    flags = node.flags
    if "none" in flags:
        return "cut-soft", "cut", 2.0, (5.0, 3.0)
    bad = not {"cut", "nan", "inf"}.isdisjoint(flags)
    if not {"dead", "skipped"}.isdisjoint(flags):
        return "dead", "cut" if bad else "dead-line", 1.2, (4.0, 3.0)
    return node.kind, "cut" if bad else f"{node.kind}-line", 2.4 if "target" in flags else 1.2, None


def _badge_roles(flags: Sequence[str]) -> tuple[str, str]:
    """The colours of a pill and of the word on it."""
    if not {"none", "cut", "nan", "inf"}.isdisjoint(flags):
        return "cut", "on-cut"
    return ("gradient", "on-gradient") if "target" in flags else ("soft", "paper")


def _badge(word: str, x: float, y: float, roles: tuple[str, str]) -> Iterator[Mark]:
    width = badge_width(word)
    yield Rect(x - width / 2, y - PILL_HEIGHT / 2, width, PILL_HEIGHT, PILL_HEIGHT / 2, roles[0])
    yield Text(x, y + 3.5, word, roles[1], BADGE_SIZE, True, width - 8)


def wire_look(edge: SceneEdge) -> tuple[str, float, tuple[float, float] | None]:
    """How a wire looks: colour, thickness and dash."""
    if "cut" in edge.flags:
        return "cut", 2.0, (5.0, 4.0)
    faint = not {"dead", "skipped"}.isdisjoint(edge.flags)
    return ("dead-line", 1.4, (4.0, 4.0)) if faint else ("edge", 1.4, None)


def _wire(index: int, edge: SceneEdge, nodes: Sequence[SceneNode], upstream: bool) -> MarkGroup:
    line, thickness, dash = wire_look(edge)
    x, y = edge.points[0 if upstream else -1]
    back = y + 7.2 if upstream else y - 7.2
    head = Polygon(((x, y), (x - 3.6, back), (x + 3.6, back)), line)
    marks: list[Mark] = [Curve(edge.points, line, thickness, dash), head]
    words = (
        f"{nodes[edge.tail].title} to {nodes[edge.head].title}",
        edge.badge and f"cut: {edge.badge}" if "cut" in edge.flags else edge.badge,
    )
    return MarkGroup(f"e{index}", ", ".join(filter(None, words)), tuple(marks))


def _word(index: int, edge: SceneEdge, spot: Spot) -> MarkGroup:
    """What is said of a wire: a pill, and two strokes across the wire where it is cut."""
    (x, y), (middle, badge_y), word = spot.on_wire, spot.badge, edge.badge or ""
    marks: list[Mark] = []
    if "cut" in edge.flags:
        marks += [Stroke((x - 8, y + 3 + down), (x + 8, y - 5 + down), "cut", 2.4) for down in (0, 3)]
    marks += _badge(word, middle, badge_y, _badge_roles(edge.flags))
    return MarkGroup(f"e{index}.word", word, tuple(marks))
