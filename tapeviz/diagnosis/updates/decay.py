"""Graph -> Findings about weight decay on parameters whose size is not to shrink: the scales of normalizing layers."""

from __future__ import annotations

from collections.abc import Iterator

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.op_kinds import NORMALIZATIONS
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import ParameterUpdated
from tapeviz.graph import Graph
from tapeviz.phrases import counted
from tapeviz.source.places import site_at

_STRONG = 0.05
"""A decay from which on it is worth a word; those that optimizers have without being asked are smaller."""
_SAME = frozenset({"broadcast_to", "cast", "expand_dims", "identity", "reshape"})
"""Ops that only bring a scale to the shape and dtype of what it multiplies."""


def on_scales(graph: Graph) -> Iterator[Finding]:
    """An optimizer lets the scale of a normalizing layer decay as much as the matrices in its list."""
    found: dict[int, dict[int, tuple[float, int]]] = {}
    for position, event in graph.log.of_kind(ParameterUpdated).items():
        decay = dict(event.options).get("weight_decay")
        if isinstance(decay, float) and decay >= _STRONG:
            found.setdefault(event.optimizer, {}).setdefault(event.tensor, (decay, position))
    for decays in found.values():
        matrices = {decay for each, (decay, _) in decays.items() if len(graph.log.tensors[each].shape) > 1}
        scales = [each for each, (decay, _) in decays.items() if decay in matrices and _is_scale(graph, each)]
        if scales:
            yield _decays(graph, scales, *decays[scales[0]])


def _is_scale(graph: Graph, tensor: int) -> bool:
    """Whether a normalizing layer multiplies by it, be it by an op of its own or as it is written out."""
    for at, slot in graph.consumers(tensor):
        op = graph.ops[at]
        if op.op in NORMALIZATIONS and slot:
            return True
        if op.op in _SAME and _is_scale(graph, op.outputs[0]):
            return True
        if op.op == "mul" and len(op.inputs) == 2 and _is_normalized(graph, op.inputs[1 - slot]):
            return True
    return False


def _is_normalized(graph: Graph, tensor: int, depth: int = 3) -> bool:
    """Whether it is, or is multiplied by, the reciprocal of a root."""
    op = graph.op_of(tensor)
    if op is None or not depth:
        return False
    if op.op == "div":
        divisor = graph.op_of(op.inputs[1])
        return divisor is not None and divisor.op == "sqrt"
    read = op.inputs if op.op == "mul" else op.inputs[:1] if op.op in _SAME else ()
    return op.op == "rsqrt" or any(_is_normalized(graph, each, depth - 1) for each in read)


def _decays(graph: Graph, scales: list[int], decay: float, step: int) -> Finding:
    site, more = site_at(graph.log, step), counted(len(scales) - 1, "other")
    others = f" and {more} of normalizing layers are" if len(scales) > 1 else " is"
    return Finding.at(
        graph.log,
        "decays_scale",
        site,
        f"{name_of(graph, scales[0])}{others} pulled to zero by the weight decay of {decay:g}, as the matrices are, in "
        f"the step at {words(site)}.",
        None,
        step,
        symptom="wrong",
        severity="hint",
        source=scales[0],
    )


RULES = (on_scales,)
