"""A tape's nodes and targets -> the order in which TensorFlow's backward pass visits the nodes.

Our sweep takes the last op first. That makes no difference to a sum, but it does to the order of rows in slices.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from typing import Any


def breadth_first(plans: list[Any], inputs: list[Any], outs: list[Any], targets: Iterable[int]) -> list[int]:
    """The indices of the nodes that gradients of targets reach, each after all nodes that use its result."""
    maker = {raw_id: node for node, out in enumerate(outs) for raw_id in (out if type(out) is tuple else (out,))}
    uses: Counter[int] = Counter()
    nodes: set[int] = set()
    back = list(targets)
    while back:
        node = maker.get(back.pop())
        if node is not None and node not in nodes:
            nodes.add(node)
            entries = pulled(plans[node], inputs[node])
            uses.update(entries)
            back += entries
    awaited = Counter(maker[raw_id] for raw_id in uses if raw_id in maker)
    queue = deque(sorted(nodes - awaited.keys(), reverse=True))
    order = []
    while queue:
        node = queue.popleft()
        order.append(node)
        for raw_id in pulled(plans[node], inputs[node]):
            uses[raw_id] -= 1
            if not uses[raw_id] and raw_id in maker:
                awaited[maker[raw_id]] -= 1
                if not awaited[maker[raw_id]]:
                    queue.append(maker[raw_id])
    return order


def pulled(plan: Any, entries: Any) -> list[int]:
    """The tensors among an op's inputs that get a cotangent."""
    return [entries[index] for index in plan.pulled]
