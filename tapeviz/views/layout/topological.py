"""Edges of a DAG -> its nodes, each after all that lead to it."""

from __future__ import annotations

from collections.abc import Sequence


def topological_order(waiting: list[int], after: Sequence[Sequence[int]]) -> list[int]:
    """The nodes in such an order; of several that may come next, the one that was free first.

    `after` lists the nodes that each node leads to, one more than once if several edges lead there. `waiting` has the
    number of edges that lead to each node, and is counted down: what is left above 0 is in a cycle, or behind one, and
    not in the order.

    >>> topological_order([1, 0, 1], [[2], [0], []])
    [1, 0, 2]
    """
    order = [v for v, left in enumerate(waiting) if left == 0]
    for v in order:
        for w in after[v]:
            waiting[w] -= 1
            if waiting[w] == 0:
                order.append(w)
    return order
