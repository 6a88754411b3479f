"""A node of tinygrad's -> the nodes below it, as far as they are not known."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from tapeviz.recorders.tinygrad.names import operands_of


def below(root: Any, is_known: Callable[[Any], bool], ends: Container[Any] = ()) -> list[Any]:
    """The nodes whose numbers a node's are computed of, and the node, each after its operands.

    Nothing is sought below what `is_known`, which is left out, nor below `ends`.
    """
    order: list[Any] = []
    waiting: list[tuple[Any, bool]] = [(root, False)]
    met: set[Any] = set()
    while waiting:
        node, is_done = waiting.pop()
        if is_done:
            order.append(node)
        elif node not in met and not is_known(node):
            met.add(node)
            waiting.append((node, True))
            operands = [] if node in ends else operands_of(node)
            waiting += [(each, False) for _, each in reversed(operands)]
    return order
