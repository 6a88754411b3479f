"""Layered -> its layers, sorted from left to right so that few segments cross."""

from __future__ import annotations

from tapeviz.views.layout.crossings import crossings, inversions
from tapeviz.views.layout.layers import Layered
from tapeviz.views.layout.starts import starts

_WORK = 120_000  # vertices and segments looked at, about, from each start
_MAX_PASSES = 200
_MAX_EXCHANGES = 10  # passes of exchanges in a row
_PATIENCE = 10  # sorts without a better result


def order_layers(graph: Layered) -> int:
    """Sort every layer of a connected `graph` in place; returns how many segments cross.

    Each start is improved in turns by sorting layers by the mean place of the neighbours and by exchanging adjacent
    vertices. The fewest crossings win, the earlier start in a tie. What then may stand either way goes back to where
    that start had it.
    """
    size = len(graph.rank) + sum(map(len, graph.down))
    passes = max(2, min(_MAX_PASSES, _WORK // size))
    best: tuple[int, _Sweep, list[list[int]]] | None = None
    for start in starts(graph):
        sweep = _Sweep(graph, start)
        layers, fewest = sweep.improve(passes)
        if best is None or fewest < best[0]:
            best = fewest, sweep, layers
        if fewest == 0:
            break
    if best is None:
        return 0
    fewest, sweep, layers = best
    graph.layers = sweep.settle(layers, passes)
    return fewest


class _Sweep:
    """One order of the layers while it is being improved."""

    def __init__(self, graph: Layered, layers: list[list[int]]) -> None:
        self.graph = graph
        self.layers = layers
        self.place = [0] * len(graph.rank)
        for layer in layers:
            self._number(layer)
        self.home = list(self.place)  # where the start had every vertex
        self.crossings = [0] * (len(layers) - 1)  # between a layer and the next
        self.stale = [True] * (len(layers) - 1)

    def improve(self, passes: int) -> tuple[list[list[int]], int]:
        """Best layers met in about so many passes over the graph, and their crossings."""
        best, fewest = list(self.layers), self._count()
        turn = idle = 0
        while fewest > 0 and idle < _PATIENCE and passes > 0:
            self._sort_all(turn)
            passes -= 1 + self._exchange_until_still(min(passes, _MAX_EXCHANGES))
            now = self._count()
            turn += 1
            idle += 1
            if now < fewest:
                best, fewest, idle = list(self.layers), now, 0
        return best, fewest

    def settle(self, layers: list[list[int]], passes: int) -> list[list[int]]:
        """`layers` with vertices exchanged back towards the start where that costs no crossing."""
        for i, layer in enumerate(layers):
            self._replace(i, layer)
        for _ in range(min(passes, _MAX_EXCHANGES)):
            changed = False
            for i in range(len(self.layers)):
                before = self.layers[i]
                self._exchange(i, homewards=True)
                changed = changed or self.layers[i] != before
            if not changed:
                break
        return self.layers

    def _number(self, layer: list[int]) -> None:
        for i, v in enumerate(layer):
            self.place[v] = i

    def _replace(self, i: int, layer: list[int]) -> None:
        self.layers[i] = layer
        self._number(layer)
        if i > 0:
            self.stale[i - 1] = True
        if i < len(self.stale):
            self.stale[i] = True

    def _sort_all(self, turn: int) -> None:
        """Sort all layers by the one above, from the top, or by the one below, from the bottom; `turn` says which.

        In two of four turns, vertices whose means are equal swap their order.
        """
        flip = turn % 4 >= 2
        if turn % 2 == 0:
            for i in range(1, len(self.layers)):
                self._sort(i, self.graph.up, flip)
        else:
            for i in range(len(self.layers) - 2, -1, -1):
                self._sort(i, self.graph.down, flip)

    def _sort(self, i: int, near: list[list[int]], flip: bool) -> None:
        """Sort layer `i` by the mean place of the neighbours; a vertex without any keeps its place."""
        layer, place = self.layers[i], self.place
        if len(layer) == 1:
            return
        movable = [v for v in layer if near[v]]
        if flip:
            movable.reverse()
        mean = {}
        for v in movable:
            total = 0
            for u in near[v]:
                total += place[u]
            mean[v] = total / len(near[v])
        movable.sort(key=mean.__getitem__)
        following = iter(movable)
        fresh = [next(following) if near[v] else v for v in layer]
        if fresh != layer:
            self._replace(i, fresh)

    def _exchange_until_still(self, most: int) -> int:
        """Exchange in all layers until twice nothing is gained; returns the number of passes."""
        for done in range(1, most + 1):
            gained = False
            for i in range(len(self.layers)):
                gained = self._exchange(i, homewards=False) or gained
            if not gained and done > 1:
                return done
        return most

    def _exchange(self, i: int, homewards: bool) -> bool:
        """Exchange adjacent vertices of layer `i` where that saves crossings; returns whether it did.

        In a tie they are exchanged too, which lets a vertex travel to where it gains and a long chain follow it
        layer by layer; with `homewards`, only if the start had them so.
        """
        if len(self.layers[i]) == 1:
            return False
        layer, place = list(self.layers[i]), self.place
        above = [sorted([place[u] for u in self.graph.up[v]]) for v in layer]
        below = [sorted([place[w] for w in self.graph.down[v]]) for v in layer]
        gained = False
        for j in range(len(layer) - 1):
            k = j + 1
            now = inversions(above[j], above[k]) + inversions(below[j], below[k])
            then = inversions(above[k], above[j]) + inversions(below[k], below[j])
            if then > now or (then == now and homewards and self.home[layer[j]] < self.home[layer[k]]):
                continue
            gained = gained or then < now
            layer[j], layer[k] = layer[k], layer[j]
            above[j], above[k] = above[k], above[j]
            below[j], below[k] = below[k], below[j]
        if layer != self.layers[i]:
            self._replace(i, layer)
        return gained

    def _count(self) -> int:
        total = 0
        for i, stale in enumerate(self.stale):
            if stale:
                self.crossings[i] = crossings([[self.place[w] for w in self.graph.down[v]] for v in self.layers[i]])
                self.stale[i] = False
            total += self.crossings[i]
        return total
