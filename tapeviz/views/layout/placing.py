"""Columns -> x of every vertex."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise
from math import inf

from tapeviz.views.layout.layers import Layered
from tapeviz.views.layout.routes import Gaps
from tapeviz.views.layout.topological import topological_order


@dataclass
class _Links:
    """What ties columns together, by column index; indices grow from left to right."""

    left: list[list[tuple[int, float]]]  # (neighbour to the left, least distance)
    right: list[list[tuple[int, float]]]
    joined: list[list[int]]  # columns at the other end of every segment


def place_columns(graph: Layered, columns: list[list[int]], widths: list[float], gaps: Gaps) -> list[float]:
    """Centre x of every vertex, the leftmost border at 0.

    The longest column is placed first; then, again and again, the longest of those that are joined to a placed one:
    as near as it can to the median of the columns it is joined to. What the unplaced will need in between is kept
    free by bounds that each placing passes on, so nothing is moved twice and boxes never meet.
    """
    columns = _from_left(graph, columns)
    links = _link(graph, columns, widths, gaps)
    at = _grow([len(column) for column in columns], links)
    x = [0.0] * len(graph.rank)
    for column, centre in zip(columns, at, strict=True):
        for v in column:
            x[v] = centre
    border = inf
    for v, centre in enumerate(x):
        border = min(border, centre - _width(v, widths) / 2)
    return [centre - border for centre in x]


def _width(v: int, widths: list[float]) -> float:
    return widths[v] if v < len(widths) else 0.0


def _from_left(graph: Layered, columns: list[list[int]]) -> list[list[int]]:
    """The columns so sorted that whatever stands beside another in some layer comes before what is right of it.

    There is such an order because no two columns cross.
    """
    column_of = _column_of(graph, columns)
    right: list[list[int]] = [[] for _ in columns]
    waiting = [0] * len(columns)
    for layer in graph.layers:
        for v, w in pairwise(layer):
            right[column_of[v]].append(column_of[w])
            waiting[column_of[w]] += 1
    return [columns[c] for c in topological_order(waiting, right)]


def _column_of(graph: Layered, columns: list[list[int]]) -> list[int]:
    column_of = [0] * len(graph.rank)
    for c, column in enumerate(columns):
        for v in column:
            column_of[v] = c
    return column_of


def _link(graph: Layered, columns: list[list[int]], widths: list[float], gaps: Gaps) -> _Links:
    column_of = _column_of(graph, columns)
    links = _Links([[] for _ in columns], [[] for _ in columns], [[] for _ in columns])
    for layer in graph.layers:
        for v, w in pairwise(layer):
            gap = gaps.node if v < graph.count and w < graph.count else gaps.edge
            apart = (_width(v, widths) + _width(w, widths)) / 2 + gap
            links.right[column_of[v]].append((column_of[w], apart))
            links.left[column_of[w]].append((column_of[v], apart))
    for v, near in enumerate(graph.down):
        for w in near:
            if column_of[v] != column_of[w]:
                links.joined[column_of[v]].append(column_of[w])
                links.joined[column_of[w]].append(column_of[v])
    return links


def _grow(lengths: list[int], links: _Links) -> list[float]:
    """Place columns one by one, from the longest outwards."""
    count = len(lengths)
    at = [0.0] * count
    low, high = [-inf] * count, [inf] * count
    placed = [False] * count
    longest = max(lengths)
    heap = [lengths.index(longest)]
    while heap:
        c = heappop(heap) % count
        if placed[c]:
            continue
        placed[c] = True
        anchors = sorted([at[d] for d in links.joined[c] if placed[d]])
        at[c] = min(max(_median(anchors), low[c]), high[c])
        low[c] = high[c] = at[c]
        _push(c, links.right, low, placed, 1)
        _push(c, links.left, high, placed, -1)
        for d in links.joined[c]:
            if not placed[d]:
                heappush(heap, (longest - lengths[d]) * count + d)
    return at


def _median(ascending: list[float]) -> float:
    middle = len(ascending) // 2
    if not ascending:
        return 0.0
    if len(ascending) % 2:
        return ascending[middle]
    return (ascending[middle - 1] + ascending[middle]) / 2


def _push(
    start: int, neighbours: list[list[tuple[int, float]]], bound: list[float], placed: list[bool], sign: int
) -> None:
    """Pass the bound of a placed column on to the unplaced ones at its right (sign 1) or left (-1).

    Columns are taken from near to far, so the bound of each is final when it is passed on.
    """
    heap = [sign * start]
    while heap:
        c = sign * heappop(heap)
        for d, apart in neighbours[c]:
            limit = bound[c] + sign * apart
            if not placed[d] and sign * (limit - bound[d]) > 0:
                bound[d] = limit
                heappush(heap, sign * d)
