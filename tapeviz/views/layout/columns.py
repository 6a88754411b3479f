"""Layered, ordered -> columns: runs of vertices that will stand in one straight vertical line."""

from __future__ import annotations

from bisect import bisect_left

from tapeviz.views.layout.layers import Layered


def straight_columns(graph: Layered) -> list[list[int]]:
    """Partition the vertices into columns, each a run through consecutive layers, no two of them crossing.

    As Brandes and Koepf align vertices with a neighbour above and below, but with one choice for the whole graph in
    place of four that are averaged: long edges come first, then the longest paths, each followed to both its ends.
    So the main flow of a network is one line from input to loss, and weights stand beside it; an average would drift
    sideways by half a box at every op with two arguments.
    """
    choice = _StraightSegments(graph)
    segments = _by_importance(graph, choice.place)
    leaving: list[list[tuple[int, int, int]]] = [[] for _ in graph.rank]
    entering: list[list[tuple[int, int, int]]] = [[] for _ in graph.rank]
    for segment in segments:
        leaving[segment[0]].append(segment)
        entering[segment[1]].append(segment)
    for segment in segments:
        if choice.take(segment):
            choice.follow(segment, leaving, 1)
            choice.follow(segment, entering, 0)
    return [choice.column(v) for layer in graph.layers for v in layer if choice.upper[v] < 0]


class _StraightSegments:
    """The segments chosen to be straight, so far."""

    def __init__(self, graph: Layered) -> None:
        self.rank = graph.rank
        self.place = [0] * len(graph.rank)
        for layer in graph.layers:
            for i, v in enumerate(layer):
                self.place[v] = i
        self.lower = [-1] * len(graph.rank)
        self.upper = [-1] * len(graph.rank)
        self.between: list[tuple[list[int], list[int]]] = [([], []) for _ in graph.layers]  # places of ends, ascending

    def take(self, segment: tuple[int, int, int]) -> bool:
        """Choose a segment if its ends are free and it crosses no chosen one."""
        v, w, _ = segment
        if self.lower[v] >= 0 or self.upper[w] >= 0:
            return False
        tops, bottoms = self.between[self.rank[v]]
        at = bisect_left(tops, self.place[v])
        if at > 0 and bottoms[at - 1] > self.place[w]:
            return False
        if at < len(tops) and bottoms[at] < self.place[w]:
            return False
        tops.insert(at, self.place[v])
        bottoms.insert(at, self.place[w])
        self.lower[v], self.upper[w] = w, v
        return True

    def follow(self, segment: tuple[int, int, int], beyond: list[list[tuple[int, int, int]]], end: int) -> None:
        """Choose on along the path, segments of equal importance, down (end 1) or up (end 0)."""
        following: tuple[int, int, int] | None = segment
        while following is not None:
            length = following[2]
            following = next((s for s in beyond[following[end]] if s[2] == length and self.take(s)), None)

    def column(self, v: int) -> list[int]:
        """The column that starts at `v`."""
        column = [v]
        while self.lower[v] >= 0:
            v = self.lower[v]
            column.append(v)
        return column


def _by_importance(graph: Layered, place: list[int]) -> list[tuple[int, int, int]]:
    """All segments (tail, head, importance): trunks first, then by the longest path, then the middle ones of a fan.

    Ties go to the first argument.
    """
    above, below = _path_lengths(graph)
    eccentric = _off_centre(graph, place)
    size = len(graph.rank)
    segments, keys = [], []
    for w in range(size):
        for v in graph.up[w]:
            inside = v >= graph.count and w >= graph.count
            length = size + 1 if inside else above[v] + below[w]
            keys.append((size + 1 - length) * 2 * size + eccentric[v * size + w])
            segments.append((v, w, length))
    return [segments[i] for i in sorted(range(len(keys)), key=keys.__getitem__)]


def _path_lengths(graph: Layered) -> tuple[list[int], list[int]]:
    """Nodes on the longest path that ends at every vertex, and on the longest that starts there."""
    above = [0] * len(graph.rank)
    below = [0] * len(graph.rank)
    for layer in graph.layers:
        for v in layer:
            above[v] = max((above[u] for u in graph.up[v]), default=0) + (v < graph.count)
    for layer in reversed(graph.layers):
        for v in layer:
            below[v] = max((below[w] for w in graph.down[v]), default=0) + (v < graph.count)
    return above, below


def _off_centre(graph: Layered, place: list[int]) -> dict[int, int]:
    """How far every segment (tail * vertices + head) is from the middle of the fans at both its ends."""
    size = len(graph.rank)
    off = {}
    met = [0] * size  # segments seen so far at every head: they come from left to right
    for layer in graph.layers:
        for v in layer:
            fan = sorted(graph.down[v], key=place.__getitem__)
            for i, w in enumerate(fan):
                off[v * size + w] = _from_middle(i, len(fan)) + _from_middle(met[w], len(graph.up[w]))
                met[w] += 1
    return off


def _from_middle(i: int, count: int) -> int:
    """Steps from the middle one, or the nearer of the middle two, of `count`."""
    return abs(2 * i + 1 - count) // 2
