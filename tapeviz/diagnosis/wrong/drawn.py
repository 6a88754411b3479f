"""GradientCall -> hints about samples that are constants to the tape, though what they are drawn from learns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.none.paused import is_within_sample
from tapeviz.diagnosis.none.recording_gap import cut_off
from tapeviz.diagnosis.paths.views import behind_views
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wrong.partial import perhaps_meant
from tapeviz.diagnosis.wrong.shapes import passed_in
from tapeviz.graph import is_real


def drawn_as_constant(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """The target is computed from a sample, as by a decoder, and no gradient passes to what it was drawn from.

    That learns by other terms alone, as by a divergence. Where a sample is read together with what it was drawn from, a
    loss may weigh the logarithm of its density instead, or a policy goes on from it: nothing is said.
    """
    sources = list(sources)
    for sample, beside in _decoded(call).items():
        drawn_from = [each for each in sources if call.is_made_of(sample, each)]
        if any(call.is_made_of(each, source) for each in beside for source in drawn_from):
            continue
        for source in drawn_from:
            finding = cut_off(Question(call, source, sample))
            if finding is not None:
                yield perhaps_meant(finding)


def _decoded(call: GradientCall) -> dict[int, set[int]]:
    """The samples that recorded ops compute with, and what these ops read beside them."""
    found: defaultdict[int, set[int]] = defaultdict(set)
    for position in passed_in(call):
        read = call.graph.ops[position].inputs
        for each in read:
            sample = behind_views(call.graph, each) if each not in call.followed else None
            if sample is not None and _is_sample(call, sample):
                found[sample] |= {*read} & call.followed
    return found


def _is_sample(call: GradientCall, tensor: int) -> bool:
    """Whether it was drawn from a distribution that lets no gradient pass; one of whole numbers could let none."""
    made = call.graph.op_of(tensor)
    if made is None or made.site is None or not is_real(call.log.tensors[tensor].dtype):
        return False
    is_paused = dict(made.tapes).get(call.tape) == "paused"
    return is_paused and is_within_sample(Editor(call.log), call.log.sites[made.site])
