"""Run -> the op at which all paths from a tensor to the targets meet first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import reduce
from typing import NamedTuple

from tapeviz.graph import Graph
from tapeviz.replay import Run

_END = -1
"""Where all paths end, as a position: behind the targets."""


class _Node(NamedTuple):
    """An op: the one at which all paths from its results meet, how far that is from the end, and one farther on.

    `far` is chosen so that a few steps over such ops lead to any that is ahead.
    """

    ahead: int
    depth: int
    far: int


class Dominators:
    """Where the paths of one run meet: at the ops that dominate its graph, seen from the end."""

    def __init__(self, graph: Graph, run: Run) -> None:
        self._nodes = {_END: _Node(_END, 0, _END)}
        self._readers: defaultdict[int, dict[int, None]] = defaultdict(dict)
        for target in run.targets:
            self._readers[target][_END] = None
        for step in run.steps:
            results = [each for each in graph.ops[step.op].outputs if each in self._readers]
            self._nodes[step.op] = self._behind(self._common(map(self._first, results)))
            for each in step.contributions:
                self._readers[each.tensor][step.op] = None

    def of(self, tensor: int) -> int | None:
        """The position of the first op that is on every path from a tensor; None where they only end together."""
        found = self._first(tensor)
        return None if found == _END else found

    def _first(self, tensor: int) -> int:
        return self._common(self._readers.get(tensor, ()))

    def _common(self, positions: Iterable[int]) -> int:
        """The first op that is on every way on from some ops."""
        first, *others = [*positions] or [_END]
        return reduce(self._common_of_two, others, first)

    def _behind(self, ahead: int) -> _Node:
        node = self._nodes[ahead]
        far = self._nodes[node.far]
        is_even = node.depth - far.depth == far.depth - self._nodes[far.far].depth
        return _Node(ahead, node.depth + 1, far.far if is_even else ahead)

    def _common_of_two(self, one: int, other: int) -> int:
        nodes = self._nodes
        if nodes[one].depth < nodes[other].depth:
            one, other = other, one
        while nodes[one].depth > nodes[other].depth:
            node = nodes[one]
            one = node.far if nodes[node.far].depth >= nodes[other].depth else node.ahead
        while one != other:
            mine, theirs = nodes[one], nodes[other]
            one, other = (mine.far, theirs.far) if mine.far != theirs.far else (mine.ahead, theirs.ahead)
        return one
