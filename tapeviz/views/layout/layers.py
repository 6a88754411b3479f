"""Ranks and edges -> Layered: vertices in layers, joined by segments from one layer to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tapeviz.views.layout.ranks import neighbours


@dataclass
class Layered:
    """A layered graph. Vertices below `count` are the nodes, the others are bends of long edges.

    Long edges of one node that are of similar length share one trunk of bends, which they leave one by one: a value
    used in many places is one line that forks. It also bounds the bends of a node by three times its longest edge.
    """

    count: int
    rank: list[int]
    up: list[list[int]]
    down: list[list[int]]
    trunks: list[list[list[int]]]  # of every node: its trunks, by `trunk_class`, each the bends from top to bottom
    layers: list[list[int]]  # vertices of every layer, left to right


def trunk_class(bends: int) -> int:
    """Edges of 1, 2-3, 4-7, 8-15, ... bends go together.

    >>> [trunk_class(bends) for bends in (1, 2, 3, 4)]
    [0, 1, 1, 2]
    """
    return bends.bit_length() - 1


def build_layers(rank: list[int], edges: Sequence[tuple[int, int]]) -> Layered:
    """Replace edges over several layers by trunks; the least rank is the first layer; layers are not ordered yet.

    >>> build_layers([0, 1, 2], [(0, 1), (1, 2), (0, 2)]).layers
    [[0], [1, 3], [2]]
    """
    count = len(rank)
    node_up, node_down = neighbours(count, edges)
    first = min(rank)
    rank = [r - first for r in rank]
    down: list[list[int]] = [[] for _ in rank]
    up: list[list[int]] = [[] for _ in rank]
    trunks = [_grow_trunks(v, node_down[v], rank, up, down) for v in range(count)]
    for w in range(count):
        for v in node_up[w]:
            bends = rank[w] - rank[v] - 1
            above = trunks[v][trunk_class(bends)][bends - 1] if bends else v
            up[w].append(above)
            down[above].append(w)
    layers: list[list[int]] = [[] for _ in range(max(rank) + 1)]
    for v, r in enumerate(rank):
        layers[r].append(v)
    return Layered(count, rank, up, down, trunks, layers)


def _grow_trunks(
    v: int, heads: list[int], rank: list[int], up: list[list[int]], down: list[list[int]]
) -> list[list[int]]:
    """Add the bends of all long edges from `v` to `rank`, `up` and `down`."""
    lengths: list[int] = []  # bends of the longest edge of every class
    for w in heads:
        bends = rank[w] - rank[v] - 1
        if bends:
            kind = trunk_class(bends)
            lengths.extend([0] * (kind + 1 - len(lengths)))
            lengths[kind] = max(lengths[kind], bends)
    trunks = []
    for length in lengths:
        trunk = list(range(len(rank), len(rank) + length))
        for above, bend in zip([v, *trunk], trunk, strict=False):
            rank.append(rank[above] + 1)
            up.append([above])
            down.append([])
            down[above].append(bend)
        trunks.append(trunk)
    return trunks
