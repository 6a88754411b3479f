"""Graph, tensor -> the tensor that it is a view of; whether it is a copy of others."""

from __future__ import annotations

from tapeviz.diagnosis.op_kinds import VIEWS
from tapeviz.graph import Graph

_COPIES = VIEWS | {"cast", "copy", "getitem", "identity", "setitem", "stop_gradient"}
"""The ops that take over numbers as they are, whole or in parts, perhaps in another precision."""


def behind_views(graph: Graph, tensor: int) -> int:
    """The tensor that holds the same numbers as another, whatever shape they were given since; or that one itself."""
    while (made := graph.op_of(tensor)) is not None and made.op in VIEWS:
        tensor = made.inputs[0]
    return tensor


def is_copied(graph: Graph, tensor: int) -> bool:
    """Whether all that ops did to make a tensor is to take over numbers of leaves, whole or in parts."""
    waiting, met = [tensor], {tensor}
    while waiting:
        made = graph.op_of(waiting.pop())
        if made is not None:
            if made.op not in _COPIES:
                return False
            waiting += {*made.inputs} - met
            met.update(made.inputs)
    return True
