"""Boxes, the frames they are in, and wires -> what is laid out in each frame, and which frames a wire goes through."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

HEAD, FOOT = 30.0, 14.0
"""px between the upper or lower border of a frame and what is in it; its title stands above."""
PORT_HEAD, PORT_FOOT = 10.0, 0.0
"""The same beside ports, which keep their own distance from the boxes."""
MOST_APART = 4
"""Wires that go from one frame into another, or a box, each have a line of their own if no more boxes than these are at
their tails: of a network the skip connections. Of more there is one line, as of those from one box."""


@dataclass
class NestLevel:
    """The boxes and edges that are laid out within one frame, and the ports at which wires leave it.

    Its `nodes` are numbers: from 0 on boxes, from -1 down frames (-1 is frame 0), None ports. `places` tells where in
    `nodes` a box or a frame is, `ports` at which side a port is, by its place.
    """

    nodes: list[int | None] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)
    edges: list[tuple[int, int]] = field(default_factory=list)
    numbers: dict[tuple[int, int, int], int] = field(default_factory=dict)
    ports: dict[int, int] = field(default_factory=dict)

    def edge(self, tail: int, head: int, wire: int) -> int:
        """The number of the edge between two places; wires share one, unless their numbers tell them apart."""
        key = (tail, head, wire)
        if key not in self.numbers:
            self.numbers[key] = len(self.edges)
            self.edges.append((tail, head))
        return self.numbers[key]

    def margins(self, head: float = HEAD) -> tuple[float, float]:
        """Room before and after what is inside, along the flow; `head`: before it, where nothing leads in."""
        sides = self.ports.values()
        return PORT_HEAD if -1 in sides else head, PORT_FOOT if 1 in sides else FOOT

    def port(self, side: int) -> int:
        """A new port, at the top (-1) or at the bottom (1)."""
        self.ports[len(self.nodes)] = side
        self.nodes.append(None)
        return len(self.nodes) - 1


class NestRoute(NamedTuple):
    """The pieces of a wire from its tail on, each a frame and an edge in it; the first `leaving` lead out of frames."""

    pieces: list[tuple[int, int]]
    leaving: int


class _Crossing(NamedTuple):
    """How many frames both ends of a wire are in, the innermost of them, and the places of these ends in it."""

    shared: int
    within: int
    start: int
    end: int


class NestPlan:
    """Frames, what is in each, and how wires go from one into another."""

    def __init__(self, parents: Sequence[int], outer: Sequence[int]) -> None:
        self.levels: defaultdict[int, NestLevel] = defaultdict(NestLevel)
        self.paths: list[list[int]] = []
        self._ports: dict[tuple[int, int, bool], int] = {}
        self.levels[-1] = NestLevel()
        for box, parent in enumerate(parents):
            self.paths.append([])
            node = box
            while parent >= 0:
                self.paths[box].insert(0, parent)
                self._enter(parent, node)
                node, parent = -1 - parent, outer[parent]
            self._enter(-1, node)

    def is_main(self, group: int) -> bool:
        """Whether a frame, or none, holds more than half of all boxes: what is long there makes all of it long."""
        return group < 0 or 2 * sum(group in path for path in self.paths) > len(self.paths)

    def _enter(self, group: int, node: int) -> None:
        level = self.levels[group]
        if node not in level.places:
            level.places[node] = len(level.nodes)
            level.nodes.append(node)

    def routes(self, wires: Sequence[tuple[int, int]]) -> list[NestRoute]:
        """For each wire out of the frames of its tail alone, across, and into those of its head alone."""
        crossings = [self._crossing(tail, head) for tail, head in wires]
        tails: defaultdict[_Crossing, set[int]] = defaultdict(set)
        for crossing, (tail, _) in zip(crossings, wires, strict=True):
            tails[crossing].add(tail)
        return [
            self._route(wire, *wires[wire], crossing, len(tails[crossing]) <= MOST_APART)
            for wire, crossing in enumerate(crossings)
        ]

    def _crossing(self, tail: int, head: int) -> _Crossing:
        up, down = self.paths[tail], self.paths[head]
        shared = 0
        while shared < min(len(up), len(down)) and up[shared] == down[shared]:
            shared += 1
        within = up[shared - 1] if shared else -1
        start, end = (
            self.levels[within].places[self._node(path, shared, box)] for path, box in ((up, tail), (down, head))
        )
        return _Crossing(shared, within, start, end)

    def _route(self, wire: int, tail: int, head: int, crossing: _Crossing, apart: bool) -> NestRoute:
        shared, within, start, end = crossing
        up, down = self.paths[tail], self.paths[head]
        plain = len(up) == len(down) == shared
        edge = self.levels[within].edge(start, end, wire if plain else tail if apart else -1)
        left = list(self._pieces(up, shared, tail, edge, True))
        return NestRoute([*reversed(left), (within, edge), *self._pieces(down, shared, head, edge, False)], len(left))

    def abreast(self, group: int) -> list[list[tuple[int, int, int]]]:
        """The edges of a frame that go from one frame into another or a box side by side; each with the frame that it
        comes out of, or goes into, and its port there."""
        edges = defaultdict(list)
        for number, ends in enumerate(self.levels[group].edges):
            ports = [
                (place, self._ports.get((group, number, out))) for place, out in zip(ends, (True, False), strict=True)
            ]
            for place, port in ports:
                if port is not None:
                    edges[ends].append((number, -1 - (self.levels[group].nodes[place] or 0), port))
                    break
        return [each for each in edges.values() if len(each) > 1]

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
