"""GradientCall -> Findings about gradients that are sound op by op, and NaN where XLA compiles the same function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.op_kinds import CHOICES
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.discarded import safe_first
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.wording.safe import instead
from tapeviz.graph import Op
from tapeviz.phrases import AGAIN_BY_XLA, BY_XLA
from tapeviz.replay import Step
from tapeviz.source.places import site_at


def nan_by_xla(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """An op read zero, where its derivative is infinite, and was given an upstream gradient of zero."""
    sources, told = list(sources), set[object]()
    for step in call.run.steps:
        op = call.graph.ops[step.op]
        if op.op not in call.log.facts.spares_zeros or op.site in told:
            continue
        if _is_by_xla(call, op) and _spares_a_pole(call, step, op):
            told.add(op.site)
            made_of = (each for each in sources if any(call.is_made_of(read, each) for read in op.inputs))
            yield from (_finding(Question(call, each), step.op) for each in islice(made_of, 1))


def _is_by_xla(call: GradientCall, op: Op) -> bool:
    return any(call.log.scopes[each].name.endswith((BY_XLA, AGAIN_BY_XLA)) for each in call.log.outward(op.scope))


def _spares_a_pole(call: GradientCall, step: Step, op: Op) -> bool:
    read, upstream = call.numbers.value(op.inputs[0], step.op), call.numbers.value(step.upstream[0])
    known = read is not None and upstream is not None and read.shape == upstream.shape
    return known and bool(np.any((read == 0) & (upstream == 0)))


def _finding(question: Question, position: int) -> Finding:
    op, site = question.graph.ops[position], site_at(question.log, position)
    onward = question.call.trail.links(op.outputs[0])
    choice = next((link.position for link in onward if link.how in CHOICES), None)
    discarded = "" if choice is None else " that `where` discards, and"
    return question.finding(
        "domain_edge" if choice is None else "where_trap",
        site,
        f"{question.op_name(op)} at {words(site)} has an infinite derivative for entries{discarded} that get a "
        f"gradient of zero. Run op by op, as here, {question.log.facts.framework} gives zero there; XLA, by which the "
        "program has it compiled, gives zero times infinity, which is NaN: then the gradient of "
        f"{question.source_name} is not finite.",
        instead(question, position) if choice is None else safe_first(question, op, question.graph.ops[choice]),
        severity="hint",
        symptom="nan",
        evidence=[position],
    )
