"""Question -> the user's lines that hold back a part of the gradient on purpose."""

from __future__ import annotations

from tapeviz.diagnosis.paths.trail import STOP
from tapeviz.diagnosis.question import Question
from tapeviz.events import Site
from tapeviz.source.lines import stops_here
from tapeviz.source.places import site_at


def stops(question: Question) -> list[Site]:
    """The lines where a share of the gradient is held back on purpose: no trouble, but part of why it is as it is."""
    graph, call = question.graph, question.call
    onward = graph.descendants([question.source])
    found = [
        site_at(question.log, position)
        for position, op in graph.ops.items()
        if op.op == STOP and not onward.isdisjoint(op.inputs) and not call.ancestors.isdisjoint(op.outputs)
    ]
    return list(dict.fromkeys(site for site in found if site is not None and stops_here(site)))
