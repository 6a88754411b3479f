"""GradientCall -> Findings about gradients that arrive with sound numbers, and are wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tapeviz.diagnosis.custom import upstream_forgotten
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.none.constant_derivative import flat_again
from tapeviz.diagnosis.wrong.axes import along_another_axis
from tapeviz.diagnosis.wrong.conjugate import conjugate
from tapeviz.diagnosis.wrong.constants import missing_stop_gradient
from tapeviz.diagnosis.wrong.drawn import drawn_as_constant
from tapeviz.diagnosis.wrong.logits import applied_twice, clipped_scores, without_logarithm
from tapeviz.diagnosis.wrong.partial import half_held_back, lost_parts
from tapeviz.diagnosis.wrong.second_order import lost_in_own_gradient
from tapeviz.diagnosis.wrong.shapes import broadcast_mismatch, implicit_sum
from tapeviz.diagnosis.wrong.stepped import left_by_a_step
from tapeviz.diagnosis.wrong.unseen import came_back_changed, changed_since, changed_unseen

RULES = (
    lost_parts,
    half_held_back,
    drawn_as_constant,
    left_by_a_step,
    broadcast_mismatch,
    implicit_sum,
    upstream_forgotten,
    missing_stop_gradient,
    applied_twice,
    without_logarithm,
    clipped_scores,
    along_another_axis,
    changed_unseen,
    changed_since,
    came_back_changed,
    flat_again,
    lost_in_own_gradient,
    conjugate,
)


def wrong(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """Everything that is wrong with the gradients of those sources of a call that got one."""
    sources = list(sources)
    return (finding for rule in RULES for finding in rule(call, sources))
