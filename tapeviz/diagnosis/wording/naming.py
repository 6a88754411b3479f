"""Graph, tensor -> what to call it where the user has no name for it."""

from __future__ import annotations

from collections.abc import Iterable

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.finding import Finding
from tapeviz.graph import Graph
from tapeviz.phrases import quoted
from tapeviz.source.places import site_at


def name_of(graph: Graph, tensor: int) -> str:
    """What to call a tensor: the user's name, else the op or the kind of leaf that made it."""
    row, op = graph.log.tensors[tensor], graph.op_of(tensor)
    if row.name is not None:
        return quoted(row.name)
    if op is not None:
        return f"the result of `{dialect_of(graph.log).op(op.op)}`"
    made = None if row.role == "cotangent" else site_at(graph.log, graph.made_at(tensor))
    kind = kind_of(graph, tensor)
    return f"{kind} of shape {row.shape}" if made is None else f"{kind} made at line {made.line}"


def names_of(graph: Graph, findings: Iterable[Finding]) -> dict[int, str]:
    """What to call the sources that findings are about."""
    return {each.source: name_of(graph, each.source) for each in findings if each.source is not None}


def kind_of(graph: Graph, tensor: int) -> str:
    """What a leaf is."""
    say = dialect_of(graph.log).say
    kinds = {"variable": f"the {say('variable')}", "literal": "the number", "cotangent": "a gradient"}
    return kinds.get(graph.log.tensors[tensor].role, f"the {say('tensor')}")
