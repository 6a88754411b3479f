"""Call -> Findings about gradients that arrive with sound numbers, and are wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tapeviz.diagnosis.call import Call
from tapeviz.diagnosis.constants import missing_stop_gradient
from tapeviz.diagnosis.custom import upstream_forgotten
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.higher import flat_again
from tapeviz.diagnosis.logits import applied_twice
from tapeviz.diagnosis.partial import lost_parts
from tapeviz.diagnosis.shapes import broadcast_mismatch, implicit_sum

RULES = (
    lost_parts,
    broadcast_mismatch,
    implicit_sum,
    upstream_forgotten,
    missing_stop_gradient,
    applied_twice,
    flat_again,
)


def wrong(call: Call, sources: Iterable[int]) -> Iterator[Finding]:
    """Everything that is wrong with the gradients of those sources of a call that got one."""
    sources = list(sources)
    return (finding for rule in RULES for finding in rule(call, sources))
