"""Graph, what each link gives -> for every tensor what all links on the ways to it, or onward from it, give together.

One sweep over the links answers for all tensors what a walk from each would: many sources cost no more than one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from itertools import groupby
from operator import attrgetter, or_
from typing import TypeVar

from tapeviz.graph.structure import Graph, Link

Combined = TypeVar("Combined")

_position = attrgetter("position")


def combined_before(
    graph: Graph,
    give: Callable[[Link], Combined | None],
    join: Callable[[Combined, Combined], Combined],
    follow: Callable[[Link], bool] = lambda link: True,
) -> dict[int, Combined]:
    """Tensor -> what the links that `Graph.back` finds from it give, joined; nothing where none gives anything.

    Args:
        graph: the graph.
        give: what one link gives, None for nothing.
        join: what two that were given are together; in whatever order, and the same one any number of times.
        follow: whether to go back over a link.
    """
    held: dict[int, Combined] = {}
    since: dict[int, int] = {}  # variable -> when all of what it holds was last assigned

    def holds(tensor: int, before: int) -> Combined | None:
        if tensor in graph.writes:
            whole = graph.last_whole(tensor, before)
            if whole > since.get(tensor, -1):
                since[tensor] = whole
                held.pop(tensor, None)
        return held.get(tensor)

    for position, links in groupby(sorted(graph.links, key=_position), _position):
        for link, *both in [(link, holds(link.tail, position), give(link)) for link in links if follow(link)]:
            holds(link.head, position + 1)
            for one in both:
                if one is not None:
                    held[link.head] = join(held[link.head], one) if link.head in held else one
    for tensor in graph.writes:
        holds(tensor, len(graph.log.events))
    return held


def combined_after(
    graph: Graph, give: Callable[[Link], Combined | None], join: Callable[[Combined, Combined], Combined]
) -> dict[int, Combined]:
    """Tensor -> what the links give that lead from it, or from what `Graph.descendants` has of it, joined.

    `give` and `join` are as those of `combined_before`.
    """
    found: dict[int, Combined] = {}
    by_value: dict[tuple[int, int], Combined] = {}  # of a variable, by the position up to which it holds a value

    def ahead(link: Link) -> Combined | None:
        if link.head not in graph.writes:
            return found.get(link.head)
        return by_value.get((link.head, graph.overwritten(link.head, link.position)))

    def put(link: Link, one: Combined) -> None:
        found[link.tail] = join(found[link.tail], one) if link.tail in found else one
        if link.tail in graph.writes:
            value = link.tail, graph.overwritten(link.tail, link.position - 1)
            by_value[value] = join(by_value[value], one) if value in by_value else one

    for _, links in groupby(sorted(graph.links, key=_position, reverse=True), _position):
        for link, *both in [(link, ahead(link), give(link)) for link in links]:
            for one in both:
                if one is not None:
                    put(link, one)
    return found


class AncestorSets:
    """In what each of some tensors took part: for every tensor those that it was made of, as the bits of a number."""

    def __init__(self, graph: Graph, tensors: Iterable[int]) -> None:
        self._tensors = sorted(set(tensors))
        self._bits = {tensor: 1 << place for place, tensor in enumerate(self._tensors)}
        self._within = combined_before(graph, lambda link: self._bits.get(link.tail), or_)

    def within(self, tensors: Iterable[int]) -> int:
        """Those that any of some tensors was made of, or is; as bits."""
        return reduce(or_, (self._within.get(each, 0) | self._bits.get(each, 0) for each in tensors), 0)

    def has(self, tensor: int, part: int) -> bool:
        """Whether a tensor is one of them, or was made of it."""
        return bool(self.within((tensor,)) & self._bits[part])

    def first(self, tensors: Iterable[int]) -> int | None:
        """The first, by its number, of those that some tensors were made of, or are; None where there is none."""
        found = self.within(tensors)
        return self._tensors[(found & -found).bit_length() - 1] if found else None
