"""Layers and x of every vertex -> y, the points of every edge, and the size of the picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from tapeviz.views.layout.layers import Layered, trunk_class

_LEAN = 0.25  # how far an end of an edge moves along the border towards where the edge goes
_PARALLEL = 8.0  # px between edges with the same ends
_SLOPE = 0.08  # px of gap for every px that an edge runs sideways in it
_MAX_EXTRA = 60.0
_SAME = 1e-6  # px

Point: TypeAlias = tuple[float, float]
"""x and y, in px."""
Sizes: TypeAlias = Sequence[tuple[float, float]]
"""Width and height of every node, in px."""


class Gaps(NamedTuple):
    """Least distances in px: between nodes, between an edge and its neighbours, between layers."""

    node: float
    edge: float
    layer: float


class _Bands(NamedTuple):
    """Top and bottom of every layer."""

    top: list[float]
    bottom: list[float]


class _Positions(NamedTuple):
    """Where everything stands."""

    graph: Layered
    sizes: Sizes
    x: list[float]
    y: list[float]
    bands: _Bands


def route(
    graph: Layered, sizes: Sizes, edges: Sequence[tuple[int, int]], x: list[float], gaps: Gaps
) -> tuple[list[float], list[float], list[list[Point]], float, float]:
    """x and y of the nodes, points of the edges, width and height. `sizes` are (width, height) of the nodes."""
    bands = _bands(graph, sizes, x, gaps)
    y = [(bands.top[r] + bands.bottom[r]) / 2 for r in graph.rank[: graph.count]]
    offsets = _parallel_offsets(sizes, edges, gaps.edge)
    points: list[list[Point]] = [[] for _ in edges]
    positions = _Positions(graph, sizes, x, y, bands)
    for tail, ids in enumerate(_leaving(graph, edges)):
        for e, line in _fork(positions, tail, ids, edges):
            points[e] = [(px + offsets[e], py) for px, py in line]
    width = 0.0
    for v, centre in enumerate(x):
        width = max(width, centre + (sizes[v][0] / 2 if v < graph.count else 0.0))
    return x[: graph.count], y, points, width, bands.bottom[-1]


def _bands(graph: Layered, sizes: Sizes, x: list[float], gaps: Gaps) -> _Bands:
    """Stack the layers; a gap in which an edge runs far sideways is higher."""
    top: list[float] = []
    bottom: list[float] = []
    edge = 0.0
    for layer in graph.layers:
        height = sideways = 0.0
        for v in layer:
            if v < graph.count:
                height = max(height, sizes[v][1])
            for w in graph.down[v]:
                sideways = max(sideways, abs(x[v] - x[w]))
        top.append(edge)
        bottom.append(edge + height)
        edge += height + gaps.layer + min(_MAX_EXTRA, _SLOPE * sideways)
    return _Bands(top, bottom)


def _parallel_offsets(sizes: Sizes, edges: Sequence[tuple[int, int]], room: float) -> list[float]:
    """Shift to the side of every edge: edges with the same ends run side by side, within both boxes and `room`."""
    same: dict[int, list[int]] = {}
    for e, (tail, head) in enumerate(edges):
        same.setdefault(tail * len(sizes) + head, []).append(e)
    offsets = [0.0] * len(edges)
    for group in same.values():
        tail, head = edges[group[0]]
        step = min(_PARALLEL, min(room, sizes[tail][0] / 2, sizes[head][0] / 2) / len(group))
        for i, e in enumerate(group):
            offsets[e] = (i - (len(group) - 1) / 2) * step
    return offsets


def _leaving(graph: Layered, edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Edges that leave every node, the shortest first."""
    leaving: list[list[int]] = [[] for _ in range(graph.count)]
    for e, (tail, _) in enumerate(edges):
        leaving[tail].append(e)
    for ids in leaving:
        ids.sort(key=lambda e: graph.rank[edges[e][1]])
    return leaving


def _fork(
    positions: _Positions, tail: int, ids: list[int], edges: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, list[Point]]]:
    """Lines of the edges that leave `tail`: a trunk is walked once, every edge leaves it where its head comes."""
    graph, x, bands = positions.graph, positions.x, positions.bands
    trunk: list[int] = []
    walk: list[Point] = []
    walked = 0
    for e in ids:
        head = edges[e][1]
        bends = graph.rank[head] - graph.rank[tail] - 1
        kin = graph.trunks[tail][trunk_class(bends)] if bends else []
        if not bends or kin is not trunk:
            trunk, walk, walked = kin, [], 0
            _leave(walk, positions, tail, x[trunk[0]] if bends else x[head])
        while walked < bends:
            bend = trunk[walked]
            _extend(walk, x[bend], bands.top[graph.rank[bend]])
            _extend(walk, x[bend], bands.bottom[graph.rank[bend]])
            walked += 1
        line = list(walk)
        _arrive(line, positions, head)
        yield e, line


def _leave(line: list[Point], positions: _Positions, tail: int, towards: float) -> None:
    width, height = positions.sizes[tail]
    port = _port(positions.x[tail], width, towards)
    _extend(line, port, positions.y[tail] + height / 2)
    _extend(line, port, positions.bands.bottom[positions.graph.rank[tail]])


def _arrive(line: list[Point], positions: _Positions, head: int) -> None:
    width, height = positions.sizes[head]
    port = _port(positions.x[head], width, line[-1][0])
    _extend(line, port, positions.bands.top[positions.graph.rank[head]])
    _extend(line, port, positions.y[head] - height / 2)


def _port(centre: float, width: float, towards: float) -> float:
    """x on a border: the centre for a straight edge, off it for one that comes from the side."""
    return centre + max(-width / 4, min(width / 4, _LEAN * (towards - centre)))


def _extend(line: list[Point], x: float, y: float) -> None:
    """Add a point, unless only rounding parts it from the last; a vertical run keeps only its two ends."""
    if line and line[-1][0] == x and y - line[-1][1] < _SAME:
        return
    if len(line) > 1 and line[-1][0] == x and line[-2][0] == x:
        line[-1] = (x, y)
    else:
        line.append((x, y))
