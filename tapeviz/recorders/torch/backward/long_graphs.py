"""The nodes of a long graph -> lists of them that hang on some, so that PyTorch can free the graph.

A node that Python has seen is freed by way of Python, and with it the nodes that it leads to, each from within the one
before: PyTorch 2.13 does so until the stack is full, and the process ends. What a list holds is freed one by one.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from tapeviz.recorders.torch.backward.nodes import LEAF

AT_ONCE = 1000
"""How many nodes may be freed each from within another: a stack of 8 MB has room for some 15,000."""
MARK = "tapeviz nodes freed after this one"


def freed_in_turn(nodes: Collection[Any]) -> None:
    """Let each of a few nodes hold those made just before it: a node frees what it leads to before what it holds."""
    if len(nodes) <= AT_ONCE:
        return
    numbered = [(node._sequence_nr(), node) for node in nodes if type(node) is not LEAF]
    if len(numbered) <= AT_ONCE:
        return
    in_order = [node for _, node in sorted(numbered, key=lambda each: each[0])]
    for start in range(0, len(in_order), AT_ONCE):
        *before, last = in_order[start : start + AT_ONCE]
        last.metadata[MARK] = before
