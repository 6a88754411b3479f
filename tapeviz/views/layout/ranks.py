"""Edges of a DAG -> the layer of every node, edges short and all pointing down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tapeviz.views.layout.topological import topological_order

_MAX_SWEEPS = 8


def rank_nodes(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Layer of every node; every edge leads to a larger one. Raises ValueError naming the nodes of a cycle.

    Trees that hang on the rest by one edge (an op's own weight, a metric) can follow their anchor at no cost, so they
    are taken off first and put back last. The remaining core starts as low as it can and then moves node by node
    wherever that shortens the edges: a part that runs beside a long chain stays beside what it is used by.

    >>> rank_nodes(4, [(0, 1), (1, 2), (3, 2)])
    [-1, 0, 1, 0]
    """
    up, down = neighbours(count, edges)
    order = _order(up, down)
    pendants, kept = _take_off_trees(up, down)
    core = [v for v in order if kept[v]]
    core_up = [[u for u in near if kept[u]] for near in up]
    core_down = [[w for w in near if kept[w]] for near in down]
    rank = [0] * count
    _settle(core, core_up, core_down, rank)
    for v, anchor, step in reversed(pendants):
        rank[v] = rank[anchor] + step
    return rank


def move_to_border(rank: list[int], nodes: Sequence[int], ports: Mapping[int, int]) -> None:
    """Give the ports among connected `nodes` a rank before all others (-1) or after all others (1).

    >>> rank = [0, 1, 2]
    >>> move_to_border(rank, [0, 1, 2], {1: -1})
    >>> rank
    [0, -1, 2]
    """
    inner = [rank[v] for v in nodes if v not in ports]
    if not inner:
        return
    borders = {-1: min(inner) - 1, 1: max(inner) + 1}
    for v in nodes:
        if v in ports:
            rank[v] = borders[ports[v]]


def neighbours(count: int, edges: Sequence[tuple[int, int]]) -> tuple[list[list[int]], list[list[int]]]:
    """Tails above and heads below every node, each once, in the order of the edges.

    >>> neighbours(3, [(0, 2), (1, 2), (0, 2)])
    ([[], [], [0, 1]], [[2], [2], []])
    """
    up: list[list[int]] = [[] for _ in range(count)]
    down: list[list[int]] = [[] for _ in range(count)]
    seen = set()
    for tail, head in edges:
        pair = tail * count + head
        if pair not in seen:
            seen.add(pair)
            down[tail].append(head)
            up[head].append(tail)
    return up, down


def _order(up: list[list[int]], down: list[list[int]]) -> list[int]:
    """The nodes in topological order. Raises ValueError naming the nodes of a cycle."""
    waiting = [len(near) for near in up]
    order = topological_order(waiting, down)
    if len(order) < len(up):
        raise ValueError(f"the edges form a cycle through the nodes {_find_cycle(up, waiting)}")
    return order


def _find_cycle(up: list[list[int]], waiting: list[int]) -> list[int]:
    """Walk upwards among the nodes that never became free: each has such a node above it, so the walk closes."""
    v = next(v for v, left in enumerate(waiting) if left)
    walk: list[int] = []
    place: dict[int, int] = {}
    while v not in place:
        place[v] = len(walk)
        walk.append(v)
        v = next(u for u in up[v] if waiting[u])
    return walk[place[v] :][::-1]


def _take_off_trees(up: list[list[int]], down: list[list[int]]) -> tuple[list[tuple[int, int, int]], list[bool]]:
    """Remove, again and again, every source and sink with one edge.

    Returns the removed as (node, anchor, -1 above or +1 below it) in the order of removal, and who was kept.
    """
    ups = [len(near) for near in up]
    downs = [len(near) for near in down]
    kept = [True] * len(up)
    pendants = []
    stack = [v for v in range(len(up) - 1, -1, -1) if ups[v] + downs[v] == 1]
    while stack:
        v = stack.pop()
        if ups[v] + downs[v] != 1:  # its last neighbour was removed meanwhile
            continue
        kept[v] = False
        above = downs[v] == 1
        anchor = next(w for w in (down[v] if above else up[v]) if kept[w])
        pendants.append((v, anchor, -1 if above else 1))
        (ups if above else downs)[anchor] -= 1
        if ups[anchor] + downs[anchor] == 1:
            stack.append(anchor)
    return pendants, kept


def _settle(order: list[int], up: list[list[int]], down: list[list[int]], rank: list[int]) -> None:
    """Rank the nodes of `order`: as low as possible, then up and down wherever the edges get shorter.

    A node with as many edges above as below moves along at no cost, to make room for the others; in the end it
    stands low, beside what it is used by.
    """
    for v in reversed(order):
        if down[v]:
            rank[v] = min(rank[w] for w in down[v]) - 1
    for _ in range(_MAX_SWEEPS):
        higher = _move(order, up, down, rank, -1)
        lower = _move(order[::-1], down, up, rank, 1)
        if not (higher or lower):
            return


def _move(order: list[int], near: list[list[int]], far: list[list[int]], rank: list[int], way: int) -> bool:
    """Move nodes as far up (-1) or down (1) as their `near` neighbours let them, unless those behind are more.

    Returns whether that made any edges shorter.
    """
    shorter = False
    for v in order:
        if near[v] and len(near[v]) >= len(far[v]):
            place = way * min(way * rank[w] for w in near[v]) - way
            shorter = shorter or (way * place > way * rank[v] and len(near[v]) > len(far[v]))
            rank[v] = place
    return shorter
