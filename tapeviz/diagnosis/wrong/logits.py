"""Call -> hints about losses that take logits and are given probabilities, so that a softmax comes twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tapeviz.diagnosis.call import Call
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.paths.views import behind_views
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import site_at, words
from tapeviz.diagnosis.wrong.shapes import recorded_in

APPLIED = {
    "cross_entropy": (0, "softmax"),
    "log_softmax": (0, "softmax"),
    "sigmoid_cross_entropy": (0, "sigmoid"),
    "sigmoid_cross_entropy_with_logits": (1, "sigmoid"),
    "softmax_cross_entropy_with_logits": (1, "softmax"),
    "sparse_softmax_cross_entropy_with_logits": (1, "softmax"),
}
"""An op -> the slot of its logits, and what it applies to them itself."""


def applied_twice(call: Call, sources: Iterable[int]) -> Iterator[Finding]:
    """A softmax or a sigmoid whose result goes into a loss that applies another; what else reads it does not matter."""
    wanted = set(sources)
    for position in sorted({link.position for link in call.graph.back(call.targets, recorded_in(call))}):
        op = call.graph.ops[position]
        slot, applied = APPLIED.get(op.op, (0, ""))
        made = call.graph.producer(behind_views(call.graph, op.inputs[slot])) if applied else None
        through = [] if made is None else sorted(wanted & call.ancestors_of(call.graph.ops[made].inputs))
        if made is not None and through and call.graph.ops[made].op == applied:
            yield _finding(Question(call, through[0]), made, position)


def _finding(question: Question, made: int, loss: int) -> Finding:
    first, second = question.graph.ops[made], question.graph.ops[loss]
    there = site_at(question.log, made)
    applied, called = question.called(first), question.called(second)
    return question.finding(
        "api_misuse",
        there,
        f"{applied} at {words(there)} makes probabilities, and {called} at {words(site_at(question.log, loss))} takes "
        f"them for logits: it applies {'a softmax' if first.op == 'softmax' else 'a sigmoid'} itself. The gradient of "
        f"{question.source_name} comes through both, and is too small.",
        f"Leave out the {applied} before {called}; take it only where probabilities are shown.",
        severity="hint",
        symptom="wrong",
        evidence=[made, loss],
    )
