"""Graph, values that are infinite -> those that do no harm: a softmax makes 0 of minus infinity.

An infinity is harmless where whatever reads it is finite, or a harmless infinity again.
"""

from __future__ import annotations

from collections.abc import Callable

from tapeviz.events.summary import Oddity
from tapeviz.graph import Graph


class Infinities:
    """What becomes of the infinite values of one graph."""

    def __init__(self, graph: Graph, odd: Callable[[int], Oddity | None]) -> None:
        self._graph = graph
        self._odd = odd
        self._known: dict[int, bool] = {}

    def harmless(self, tensor: int) -> bool:
        """Whether an infinite tensor makes nothing odd in the end; one that nothing reads is an end itself."""
        left = [tensor]
        while left:
            readers = {link.head for link in self._graph.links_from(left[-1])} - {left[-1]}
            infinite = [each for each in readers if self._odd(each) == "inf"]
            unknown = [each for each in infinite if each not in self._known]
            self._known.setdefault(left[-1], False)  # a variable may lead back to itself
            if unknown:
                left += unknown
                continue
            spoilt = not readers or any(self._odd(each) == "nan" for each in readers)
            self._known[left.pop()] = not spoilt and all(self._known[each] for each in infinite)
        return self._known[tensor]
