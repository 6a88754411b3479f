"""Boxes in frames, and wires -> where all of it stands: every frame is laid out by itself and is a box of the next.

So a frame that opens moves what is around it, and what is in no frame with it keeps its order. A wire that goes through
the border of a frame has a port there, in the first or last layer of what is inside.

`frontend/sight/nest.js` is the same program; a test holds the two equal to the last bit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tapeviz.views.layout import BoxSize, Layout, layout

HEAD, SIDE, FOOT = 30.0, 14.0, 14.0
"""px between the border of a frame and what is in it; its title stands above."""
PORT_HEAD, PORT_FOOT = 10.0, 0.0
"""The same beside ports, which keep their own distance from the boxes."""

Point = tuple[float, float]


class Frame(NamedTuple):
    """Top left corner and size of the frame around an unfolded group, in px."""

    group: int
    x: float
    y: float
    w: float
    h: float


@dataclass
class Nested:
    """Centres of the boxes and points of the wires, in the order they were given; frames, outer ones first."""

    x: list[float]
    y: list[float]
    lines: list[list[Point]]
    frames: list[Frame]
    width: float
    height: float


def nest(
    sizes: Sequence[BoxSize],
    parents: Sequence[int],
    wires: Sequence[tuple[int, int]],
    outer: Sequence[int],
    titles: Sequence[float],
) -> Nested:
    """Lay out boxes of these sizes; `parents` are the frames they are in (-1: none), `outer` those that the frames are
    in, each before what is in it; a frame is at least as wide as its title.

    >>> nest([BoxSize(60, 20), BoxSize(40, 20)], [-1, 0], [(0, 1)], [-1], [0.0]).frames
    [Frame(group=0, x=0.0, y=56.0, w=68.0, h=80.0)]
    """
    plan = _Plan(parents, outer)
    routes = [plan.route(wire, tail, head) for wire, (tail, head) in enumerate(wires)]
    pictures: dict[int, Layout] = {}
    spans: dict[int, BoxSize] = {}
    for group in sorted(plan.levels, reverse=True):
        level = plan.levels[group]
        boxes = [_size(node, sizes, spans) for node in level.nodes]
        pictures[group] = layout(boxes, level.edges, ports=None if group < 0 else level.ports)
        inside = pictures[group]
        if group >= 0:
            width = max(inside.width + 2 * SIDE, titles[group])
            head, foot = level.margins()
            spans[group] = BoxSize(width, inside.height + (head + foot))
    return _placed(plan, pictures, spans, routes, len(sizes))


@dataclass
class _Level:
    """What is laid out in one frame: `nodes` are boxes from 0 on, frames from -1 down (-1: frame 0), None for ports."""

    nodes: list[int | None] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)
    edges: list[tuple[int, int]] = field(default_factory=list)
    numbers: dict[tuple[int, int, int], int] = field(default_factory=dict)
    ports: dict[int, int] = field(default_factory=dict)

    def edge(self, tail: int, head: int, wire: int) -> int:
        """The edge between two places; several wires share one, unless each is told apart by its number."""
        key = (tail, head, wire)
        if key not in self.numbers:
            self.numbers[key] = len(self.edges)
            self.edges.append((tail, head))
        return self.numbers[key]

    def margins(self) -> tuple[float, float]:
        """Room above and below what is inside."""
        sides = self.ports.values()
        return PORT_HEAD if -1 in sides else HEAD, PORT_FOOT if 1 in sides else FOOT

    def port(self, side: int) -> int:
        """A new port, at the top (-1) or at the bottom (1)."""
        self.ports[len(self.nodes)] = side
        self.nodes.append(None)
        return len(self.nodes) - 1


class _Route(NamedTuple):
    """The pieces of a wire, from its tail on: frame, and edge in it. The first `leaving` lead out of frames."""

    pieces: list[tuple[int, int]]
    leaving: int


class _Plan:
    """Frames, what is in each, and how wires go from one into another."""

    def __init__(self, parents: Sequence[int], outer: Sequence[int]) -> None:
        self.levels: defaultdict[int, _Level] = defaultdict(_Level)
        self.paths: list[list[int]] = []
        self._ports: dict[tuple[int, int, bool], int] = {}
        self.levels[-1] = _Level()
        for box, parent in enumerate(parents):
            self.paths.append([])
            node = box
            while parent >= 0:
                self.paths[box].insert(0, parent)
                self._enter(parent, node)
                node, parent = -1 - parent, outer[parent]
            self._enter(-1, node)

    def _enter(self, group: int, node: int) -> None:
        level = self.levels[group]
        if node not in level.places:
            level.places[node] = len(level.nodes)
            level.nodes.append(node)

    def route(self, wire: int, tail: int, head: int) -> _Route:
        """Out of the frames of the tail alone, across, and into those of the head alone."""
        up, down = self.paths[tail], self.paths[head]
        shared = 0
        while shared < min(len(up), len(down)) and up[shared] == down[shared]:
            shared += 1
        within = up[shared - 1] if shared else -1
        level = self.levels[within]
        ends = [level.places[self._node(path, shared, box)] for path, box in ((up, tail), (down, head))]
        plain = len(up) == len(down) == shared
        edge = level.edge(ends[0], ends[1], wire if plain else -1)
        left = list(self._pieces(up, shared, tail, edge, True))
        return _Route([*reversed(left), (within, edge), *self._pieces(down, shared, head, edge, False)], len(left))

    def _pieces(self, path: Sequence[int], shared: int, box: int, edge: int, out: bool) -> Iterator[tuple[int, int]]:
        """From the outermost frame inwards: the edge between the port and what is inside."""
        around = path[shared - 1] if shared else -1
        for depth in range(shared, len(path)):
            level = self.levels[path[depth]]
            key = (around, edge, out)
            if key not in self._ports:
                self._ports[key] = level.port(1 if out else -1)
            inside = level.places[self._node(path, depth + 1, box)]
            port = self._ports[key]
            edge = level.edge(*((inside, port) if out else (port, inside)), -1)
            around = path[depth]
            yield around, edge

    def _node(self, path: Sequence[int], depth: int, box: int) -> int:
        return -1 - path[depth] if depth < len(path) else box


def _size(node: int | None, sizes: Sequence[BoxSize], spans: dict[int, BoxSize]) -> BoxSize:
    if node is None:
        return BoxSize(0.0, 0.0)
    return sizes[node] if node >= 0 else spans[-1 - node]


def _placed(
    plan: _Plan, pictures: dict[int, Layout], spans: dict[int, BoxSize], routes: Sequence[_Route], count: int
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
            origins[inner] = (cx - pictures[inner].width / 2, cy - h / 2 + plan.levels[inner].margins()[0])
    lines = []
    for pieces, leaving in routes:
        lines.append(_line([_moved(pictures[group].edges[edge], origins[group]) for group, edge in pieces], leaving))
    return Nested(x, y, lines, frames, pictures[-1].width, pictures[-1].height)


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
