"""Boxes in frames, and wires -> where all of it stands: every frame is laid out by itself and is a box of the next.

So a frame that opens moves what is around it, and what is in no frame with it keeps its order. A wire that goes through
the border of a frame has a port there, in the first or last layer of what is inside. Where the flow runs across, all is
laid out as if it ran down, and turned over in the end.

`frontend/sight/nest.js` is the same program, with its `nest_plan`; a test holds the two equal to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tapeviz.views.layout import ACROSS, DOWN, GAPS, BoxSize, Flow, Layout, Point, layout
from tapeviz.views.scene.nest_plan import HEAD, NestLevel, NestPlan, NestRoute

SIDE = 14.0
"""px between the left or right border of a frame and what is in it."""


class Frame(NamedTuple):
    """Top left corner and size of the frame around an unfolded group, in px."""

    group: int
    x: float
    y: float
    w: float
    h: float


@dataclass
class Nested:
    """Centres of the boxes and points of the wires, in the order they were given; frames, outer ones first; how many
    wires cross."""

    x: list[float]
    y: list[float]
    lines: list[list[Point]]
    frames: list[Frame]
    width: float
    height: float
    crossings: int


def nest(
    sizes: Sequence[BoxSize],
    parents: Sequence[int],
    wires: Sequence[tuple[int, int]],
    outer: Sequence[int],
    titles: Sequence[float],
    flow: Flow = DOWN,
) -> Nested:
    """Lay out boxes in frames.

    Args:
        sizes: of the boxes.
        parents: for each box the frame it is in, -1 for none.
        wires: the boxes at both ends of each.
        outer: for each frame the one that it is in, -1 for none; a frame comes after those it is in.
        titles: the width of the title of each frame, which is at least as wide.
        flow: which way the wires run.

    >>> nest([BoxSize(60, 20), BoxSize(40, 20)], [-1, 0], [(0, 1)], [-1], [0.0]).frames
    [Frame(group=0, x=0.0, y=56.0, w=68.0, h=80.0)]
    """
    plan = NestPlan(parents, outer)
    sizes = [_turned(size) for size in sizes] if flow.across else sizes
    routes = plan.routes(wires)
    pictures: dict[int, Layout] = {}
    spans: dict[int, BoxSize] = {}
    for group in sorted(plan.levels, reverse=True):
        level = plan.levels[group]
        boxes = [_size(node, sizes, spans) for node in level.nodes]
        gaps = ACROSS if flow.across else GAPS
        ports = None if group < 0 else level.ports
        aspect = flow.aspect if flow.aspect and plan.is_main(group) else 0.0
        pictures[group] = layout(boxes, level.edges, ports=ports, gaps=gaps, aspect=aspect)
        if group >= 0:
            spans[group] = _span(pictures[group], level, titles[group], flow)
    placed = _placed(plan, pictures, spans, routes, len(sizes), flow)
    return _turned_over(placed) if flow.across else placed


def _span(inside: Layout, level: NestLevel, title: float, flow: Flow) -> BoxSize:
    """The size of a frame, with room for its title: across it above what is inside, else before it."""
    if flow.across:
        head, foot = level.margins(SIDE)
        return BoxSize(inside.width + (HEAD + SIDE), max(inside.height + (head + foot), title))
    head, foot = level.margins()
    return BoxSize(max(inside.width + 2 * SIDE, title), inside.height + (head + foot))


def _turned(size: BoxSize) -> BoxSize:
    return BoxSize(size.height, size.width)


def _turned_over(placed: Nested) -> Nested:
    """With what ran down running to the right."""
    lines = [[(y, x) for x, y in line] for line in placed.lines]
    frames = [Frame(each.group, each.y, each.x, each.h, each.w) for each in placed.frames]
    return Nested(placed.y, placed.x, lines, frames, placed.height, placed.width, placed.crossings)


def _size(node: int | None, sizes: Sequence[BoxSize], spans: dict[int, BoxSize]) -> BoxSize:
    if node is None:
        return BoxSize(0.0, 0.0)
    return sizes[node] if node >= 0 else spans[-1 - node]


def _placed(
    plan: NestPlan,
    pictures: dict[int, Layout],
    spans: dict[int, BoxSize],
    routes: Sequence[NestRoute],
    count: int,
    flow: Flow,
) -> Nested:
    """Every frame in its own, from the outermost on."""
    x, y = [0.0] * count, [0.0] * count
    origins = {-1: (0.0, 0.0)}
    frames = []
    for group in sorted(plan.levels):
        picture, (left, top) = pictures[group], origins[group]
        for place, node in enumerate(plan.levels[group].nodes):
            if node is None:
                continue
            cx, cy = picture.x[place] + left, picture.y[place] + top
            if node >= 0:
                x[node], y[node] = cx, cy
                continue
            inner = -1 - node
            w, h = spans[inner]
            frames.append(Frame(inner, cx - w / 2, cy - h / 2, w, h))
            head = plan.levels[inner].margins(SIDE if flow.across else HEAD)[0]
            left_inside = cx - w / 2 + HEAD if flow.across else cx - pictures[inner].width / 2
            origins[inner] = (left_inside, cy - h / 2 + head)
    for group in plan.levels:
        for edges in plan.abreast(group):
            _untangle(pictures[group].edges, edges, pictures)
    lines = []
    for pieces, leaving in routes:
        lines.append(_line([_moved(pictures[group].edges[edge], origins[group]) for group, edge in pieces], leaving))
    crossings = sum(picture.crossings for picture in pictures.values())
    return Nested(x, y, lines, frames, pictures[-1].width, pictures[-1].height, crossings)


def _untangle(lines: list[list[Point]], edges: Sequence[tuple[int, int, int]], pictures: dict[int, Layout]) -> None:
    """Give edges that run side by side their lines in the order in which they leave, or enter, a frame."""
    order = [number for number, frame, port in sorted(edges, key=lambda each: pictures[each[1]].x[each[2]])]
    across = sorted((lines[number] for number in order), key=lambda line: line[len(line) // 2][0])
    for number, line in zip(order, across, strict=True):
        lines[number] = line


def _moved(points: Sequence[Point], origin: Point) -> list[Point]:
    return [(px + origin[0], py + origin[1]) for px, py in points]


def _line(pieces: list[list[Point]], leaving: int) -> list[Point]:
    """One line of its pieces; at a border the piece outside begins, or ends, where the port of the one inside is."""
    for at in range(leaving):
        _shift(pieces[at + 1], pieces[at][-1][0], 0, 1)
    for at in range(len(pieces) - 1, leaving, -1):
        _shift(pieces[at - 1], pieces[at][0][0], len(pieces[at - 1]) - 1, -1)
    return [point for piece in pieces for point in piece]


def _shift(points: list[Point], x: float, at: int, step: int) -> None:
    """Move the vertical stretch at one end of a line sideways; the other end of the line stays."""
    column = points[at][0]
    stop = len(points) - 1 if step > 0 else 0
    while at != stop and points[at][0] == column:
        points[at] = (x, points[at][1])
        at += step
