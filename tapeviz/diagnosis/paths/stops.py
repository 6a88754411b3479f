"""Question -> the user's lines that hold back a part of the gradient on purpose."""

from __future__ import annotations

from operator import or_

from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.paths.trail import STOP
from tapeviz.diagnosis.question import Question
from tapeviz.events import Site
from tapeviz.graph import combined_after
from tapeviz.source.lines import stops_here
from tapeviz.source.places import site_at


def stops(question: Question) -> list[Site]:
    """The lines where a share of the gradient is held back on purpose: no trouble, but part of why it is as it is."""
    call = question.call
    lines, ahead = call.once("stops", lambda: _stops(call))
    found = ahead.get(question.source, 0)
    return [line for place, line in enumerate(lines) if found >> place & 1]


def _stops(call: GradientCall) -> tuple[list[Site], dict[int, int]]:
    """The lines that hold a part of the targets back, and, as the bits of a number, those ahead of each tensor."""
    lines: dict[Site, int] = {}
    bits: dict[int, int] = {}
    for position, op in call.graph.ops.items():
        site = site_at(call.log, position) if op.op == STOP and not call.ancestors.isdisjoint(op.outputs) else None
        if site is not None and stops_here(site):
            bits[position] = 1 << lines.setdefault(site, len(lines))
    return list(lines), combined_after(call.graph, lambda link: bits.get(link.position), or_)
