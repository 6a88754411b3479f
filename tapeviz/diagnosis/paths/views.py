"""Graph, tensor -> the tensor that it is a view of."""

from __future__ import annotations

from tapeviz.diagnosis.op_kinds import VIEWS
from tapeviz.graph import Graph


def behind_views(graph: Graph, tensor: int) -> int:
    """The tensor that holds the same numbers as another, whatever shape they were given since; or that one itself."""
    while (made := graph.op_of(tensor)) is not None and made.op in VIEWS:
        tensor = made.inputs[0]
    return tensor
