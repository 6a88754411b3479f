"""GradientCall -> Findings about gradients of which a step lets nothing pass but what comes by its scale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.op_kinds import STEPS
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.wording.smooth import smooth
from tapeviz.diagnosis.wrong.shapes import passed_in
from tapeviz.events.summary import elements_of
from tapeviz.source.places import site_at

_LEAST = 8
"""How many entries a tensor has of which it shows that nearly none gets a gradient."""
_FEWER = 4
"""How many times as many entries of what a step gives are asked for as those of its source get a gradient."""


def left_by_a_step(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """A step that reads all entries of a source stands between most of them and the target.

    So it is where weights are divided by their largest, rounded and multiplied by it again: only that one gets a
    gradient. A step that is not asked for anything, as where a straight-through code holds it back, is no obstacle.
    """
    steps = [each for each in passed_in(call) if call.graph.ops[each].op in STEPS] if call.is_made else []
    upstream = {each.op: each.upstream[0] for each in call.run.steps} if steps else {}
    for source in sources if steps else ():
        arrived = call.gradients[source]
        gradient = None if arrived is None else elements_of(call.log.value(arrived))
        if gradient is None or gradient.size < _LEAST or not gradient.any():
            continue
        number = int(np.count_nonzero(gradient))
        for position in steps:
            if _asked_for(call, position, source, upstream) >= max(_LEAST, _FEWER * number):
                yield _finding(Question(call, source), position, number, gradient.size)
                break


def _asked_for(call: GradientCall, position: int, source: int, upstream: dict[int, int | None]) -> int:
    """The entries of a step's result by which the target changes, if the source has as many and is what it reads.

    Where a framework asks a step for nothing, as it has no derivative, they are those of an op that reads the result.
    """
    op, tensors = call.graph.ops[position], call.log.tensors
    if not call.is_made_of(op.inputs[0], source) or tensors[op.inputs[0]].shape != tensors[source].shape:
        return 0
    readers = (reader for reader, _ in call.graph.consumers(op.outputs[0]))
    asked = [upstream[each] for each in ([position] if position in upstream else readers) if each in upstream]
    values = (elements_of(call.log.value(each)) for each in asked if each is not None)
    alike = (each for each in values if each is not None and each.shape == tensors[source].shape)
    return max((int(np.count_nonzero(each)) for each in alike), default=0)


def _finding(question: Question, position: int, number: int, size: int) -> Finding:
    op, site = question.graph.ops[position], site_at(question.log, position)
    return question.finding(
        "nondifferentiable_op",
        site,
        f"Of the {size:,} entries of {question.source_name} {number:,} {'get' if number > 1 else 'gets'} a gradient of "
        f"{question.target_name}, by another way: {question.op_name(op)} at {words(site)}, which reads all of them, "
        "has derivative zero whatever its input is.",
        smooth(question, op),
        severity="warning",
        symptom="wrong",
        evidence=[position],
    )
