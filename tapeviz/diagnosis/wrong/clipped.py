"""GradientCall -> hints about clips behind a sigmoid or a softmax, which block the gradient of the worst predictions.

A probability is kept away from 0 and 1 so that its logarithm stays finite. Where it is clipped nothing passes, and
where it is clipped and wrong, that is where the most should.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.op_kinds import CLIPS, PARTS, VIEWS
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.logarithms import of_logits, probability_read
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import Site
from tapeviz.graph import Graph, Op
from tapeviz.phrases import counted
from tapeviz.replay import Step
from tapeviz.source.places import site_at

BETWEEN = VIEWS | CLIPS | PARTS | {"sub", "rsub", "neg"}
"""What may come between a probability and its logarithm."""

SHARE = 0.1
"""From this share of the largest gradient on, one that is held back is worth telling."""

OF_LOGITS = "Take a loss of logits, such as `tf.nn.sigmoid_cross_entropy_with_logits`, in place of the logarithm."
"""What to write where the logits are not known."""


class Clip(NamedTuple):
    """A clip that holds gradients back: its op's position, the logarithm behind it, and in how many elements."""

    position: int
    logarithm: Op
    elements: int


def clipped_away(call: GradientCall, sources: list[int]) -> Iterator[Finding]:
    """The clips of probabilities that hold back gradients as large as those that pass, each line of them once."""
    for site, clips in _by_line(call).items():
        first, count = clips[0], sum(each.elements for each in clips)
        led = call.ancestors_of(call.graph.ops[first.position].inputs[:1])
        source = next((each for each in sources if each in led), None)
        if source is None or call.numbers.badness(call.run.gradient(source)) == "zero":
            continue
        question = Question(call, source)
        if probability_read(question, first.logarithm) is not None:
            yield question.finding(
                "saturation",
                site,
                f"The clip at {words(site)} holds back the gradient of {question.source_name} in "
                f"{counted(count, 'element')}: where a prediction is so wrong that it is clipped, the most should "
                "pass.",
                of_logits(question, first.logarithm) or OF_LOGITS,
                severity="hint",
                symptom="wrong",
                evidence=[first.position],
            )


def _by_line(call: GradientCall) -> dict[Site | None, list[Clip]]:
    graph = call.graph
    found: dict[Site | None, list[Clip]] = {}
    for step in call.run.steps:
        op = graph.ops[step.op]
        logarithm = _logarithm(graph, op) if op.op in CLIPS else None
        elements = 0 if logarithm is None else _held(call, step)
        if logarithm is not None and elements:
            found.setdefault(site_at(call.log, step.op), []).append(Clip(step.op, logarithm, elements))
    return found


def _logarithm(graph: Graph, op: Op) -> Op | None:
    """The logarithm of a probability that an op gave, or of 1 less that; None where there is none."""
    reached, waiting = {op.outputs[0]}, [op.outputs[0]]
    while waiting:
        for position, _ in graph.consumers(waiting.pop()):
            reader = graph.ops[position]
            if reader.op in ("log", "log1p"):
                return reader
            if reader.op in BETWEEN and reached.isdisjoint(reader.outputs):
                reached.update(reader.outputs)
                waiting += reader.outputs
    return None


def _held(call: GradientCall, step: Step) -> int:
    """In how many elements a gradient is held back that would be among the largest.

    The logits behind would get about `upstream * p * (1 - p)`: of a prediction that is right, that is next to nothing.
    """
    clipped = call.numbers.value(call.graph.ops[step.op].outputs[0], step.op)
    upstream = call.numbers.value(step.upstream[0])
    passed = next((call.numbers.value(each.cotangent) for each in step.contributions if each.slot == 0), None)
    if clipped is None or upstream is None or passed is None or not clipped.shape == upstream.shape == passed.shape:
        return 0
    wanted = np.abs(upstream) * clipped * (1 - clipped)
    return int(((passed == 0) & (wanted > 0) & (wanted >= SHARE * wanted.max(initial=0))).sum())
