"""Scene -> Picture: its boxes, wires and frames as `marks`, which `svg` and `canvas` paint.

`frontend/graph/box.js` and `wire.js` draw the same shapes: a test holds them to that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tapeviz.views.drawing.marks import Curve, Mark, MarkGroup, Picture, Polygon, Rect, Stroke, Text, pill
from tapeviz.views.layout import Point
from tapeviz.views.scene import Scene, SceneEdge, SceneFrame, SceneNode
from tapeviz.views.scene.looks import (
    PADDING,
    STRIP_HEIGHT,
    SUBTITLE_SIZE,
    TITLE_SIZE,
    badge_middle,
    is_histogram,
)
from tapeviz.views.scene.metrics import text_width
from tapeviz.views.scene.spots import Spot
from tapeviz.views.words.levels import LEVELS

CORNERS = {"variable": 99.0, "op": 9.0, "constant": 4.0, "state": 4.0, "group": 9.0}
STACKED = 4.0
"""How far each sheet of a stack stands out from the one before it."""
STRIP_FOOT, BAR = 7.0, 12.0
"""How far above the lower side of a box its strip stands, and the height of its highest bar."""
STRIP_SIDES = {"variable": 18.0}
"""How far a histogram keeps from the sides of a box that is round."""
DOT, DOT_GAP, DOT_SIDE, MOST_DOTS = 8.0, 3.0, 10.0, 4
"""The size of a dot for a parameter, how far the dots are from each other and from the side, and how many there are."""
FAINT = frozenset({"dead", "skipped"})
"""The flags of what no gradient passes."""
WRONG = frozenset({"cut", "nan", "inf"})
"""The flags of what is drawn in the colour of a cut."""


class BoxPaint(NamedTuple):
    """The roles of a box and of its border, and how thick and dashed that is."""

    fill: str
    line: str
    thickness: float
    dash: tuple[float, float] | None


class WirePaint(NamedTuple):
    """The role of a wire, and how thick and dashed it is."""

    line: str
    thickness: float
    dash: tuple[float, float] | None


def picture(scene: Scene, *, upstream: bool = False) -> Picture:
    """The picture of a scene: frames, wires over them, then titles of frames and boxes, the words of wires on top.

    The arrows of wires point along the flow, with the program, or `upstream`, as gradients go.
    """
    groups = [_frame(frame) for frame in scene.frames]
    groups += [_wire(index, edge, scene, upstream) for index, edge in enumerate(scene.edges)]
    groups += [_title(frame) for frame in scene.frames]
    groups += [_box(node) for node in scene.nodes]
    groups += [_word(index, edge, edge.spot, scene.across) for index, edge in enumerate(scene.edges) if edge.spot]
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
    paint = box_paint(node)
    faint = "none" not in node.flags and not FAINT.isdisjoint(node.flags)
    title, subtitle = ("faint", "faint") if faint else ("ink", "soft")
    middle, room = x + node.w / 2, node.w - 18
    corner = min(CORNERS[node.kind], node.h / 2)
    sheets = 0 if node.kind != "group" else 2 if "repeat" in node.flags else 1
    marks: list[Mark] = [
        Rect(x + out, y + out, node.w, node.h, corner, *paint)
        for out in (STACKED * sheet for sheet in range(sheets, -1, -1))
    ]
    foot = y + node.h - (STRIP_HEIGHT if node.gradient is not None else 0.0)
    words = foot - y - (STRIP_HEIGHT if node.strip else 0.0)
    if node.subtitle:
        marks.append(Text(middle, y + 17, node.title, title, TITLE_SIZE, True, room))
        marks.append(Text(middle, y + words - 9, node.subtitle, subtitle, SUBTITLE_SIZE, False, room))
    else:
        marks.append(Text(middle, y + words / 2 + 4.5, node.title, title, TITLE_SIZE, True, room))
    if node.strip and is_histogram(node.strip):
        side = STRIP_SIDES.get(node.kind, PADDING)
        marks.append(Polygon(bars(node.strip[1:], x + side, foot - STRIP_FOOT, node.w - 2 * side), paint.line))
    elif node.strip:
        marks.append(Text(middle, foot - STRIP_FOOT - 1, node.strip, title, SUBTITLE_SIZE, True, room, part="strip"))
    if node.gradient:
        low = y + node.h - STRIP_FOOT - 1
        marks.append(Text(middle, low, node.gradient, "gradient", SUBTITLE_SIZE, True, room, part="gradient"))
    marks += _parameters(node)
    if node.badge:
        marks += pill(node.badge, x + badge_middle(node.w, node.badge), y, *_badge_roles(node.flags))
    kind = None if node.kind == "op" else node.kind
    return MarkGroup(
        node.id,
        ", ".join(filter(None, (node.whole or node.title, "" if node.whole else node.subtitle, kind, node.badge))),
        tuple(marks),
    )


def _parameters(node: SceneNode) -> Iterator[Rect]:
    """A dot on the upper border for each parameter that is tucked into an op."""
    tucked = len(node.boxes) - 1 if node.kind == "op" else 0
    for index in range(min(tucked, MOST_DOTS)):
        left = node.x + DOT_SIDE + index * (DOT + DOT_GAP)
        yield Rect(left, node.y - DOT / 2, DOT, DOT, DOT / 2, "variable", "variable-line")


def bars(letters: str, left: float, foot: float, width: float) -> tuple[Point, ...]:
    """The outline of a histogram, from its foot up."""
    wide = width / len(letters)
    points = [(left, foot)]
    for index, letter in enumerate(letters):
        top = foot - BAR * LEVELS.index(letter) / (len(LEVELS) - 1)
        points += [(left + index * wide, top), (left + (index + 1) * wide, top)]
    return tuple((round(x, 1), round(y, 1)) for x, y in [*points, (left + width, foot)])


def box_paint(node: SceneNode) -> BoxPaint:
    """How a box is painted."""
    if "none" in node.flags:
        return BoxPaint("cut-soft", "cut", 2.0, (5.0, 3.0))
    fill = node.kind if FAINT.isdisjoint(node.flags) else "dead"
    line = f"{fill}-line" if WRONG.isdisjoint(node.flags) else "cut"
    if fill == "dead":
        return BoxPaint(fill, line, 1.2, (4.0, 3.0))
    return BoxPaint(fill, line, 2.4 if "target" in node.flags else 1.2, None)


def _badge_roles(flags: Sequence[str]) -> tuple[str, str]:
    """The roles of a pill and of the word on it."""
    if "none" in flags or not WRONG.isdisjoint(flags):
        return "cut", "on-cut"
    return ("gradient", "on-gradient") if "target" in flags else ("soft", "paper")


def wire_paint(edge: SceneEdge) -> WirePaint:
    """How a wire is painted."""
    if "cut" in edge.flags:
        return WirePaint("cut", 2.0, (5.0, 4.0))
    return WirePaint("edge", 1.4, None) if FAINT.isdisjoint(edge.flags) else WirePaint("dead-line", 1.4, (4.0, 4.0))


def arrow(point: Point, length: float, half: float, across: bool) -> tuple[Point, ...]:
    """The head of an arrow that ends at a point, its `length` against the flow; a negative one points upstream."""
    x, y = point
    if across:
        return (x, y), (x - length, y - half), (x - length, y + half)
    return (x, y), (x - half, y - length), (x + half, y - length)


def _wire(index: int, edge: SceneEdge, scene: Scene, upstream: bool) -> MarkGroup:
    paint, nodes = wire_paint(edge), scene.nodes
    length = -7.2 if upstream else 7.2
    head = Polygon(arrow(edge.points[0 if upstream else -1], length, 3.6, scene.across), paint.line)
    words = (
        f"{nodes[edge.tail].title} to {nodes[edge.head].title}",
        edge.badge and f"cut: {edge.badge}" if "cut" in edge.flags else edge.badge,
    )
    return MarkGroup(f"e{index}", ", ".join(filter(None, words)), (Curve(edge.points, *paint, scene.across), head))


def _word(index: int, edge: SceneEdge, spot: Spot, across: bool) -> MarkGroup:
    """What is said of a wire: a pill, and two strokes across the wire where it is cut."""
    (x, y), (middle, badge_y), word = spot.on_wire, spot.badge, edge.badge or ""
    marks: list[Mark] = []
    if "cut" in edge.flags:
        for along in (0, 3):
            ends = ((3 + along, -8), (-5 + along, 8)) if across else ((-8, 3 + along), (8, -5 + along))
            start, end = ((x + right, y + down) for right, down in ends)
            marks.append(Stroke(start, end, "cut", 2.4))
    marks += pill(word, middle, badge_y, *_badge_roles(edge.flags))
    return MarkGroup(f"e{index}.word", word, tuple(marks))
