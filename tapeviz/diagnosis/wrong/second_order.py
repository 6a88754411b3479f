"""GradientCall -> Findings about a second derivative that lacks what a gradient function of the user's cut off.

Where nothing but what was cut off leads to a source, that gets None, which is told as such. Here are the derivatives
that arrive by other ways, and those that a library takes for zeros without asking autograd. That a first derivative
does change with what its function reads was found by the framework, which differentiated it twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.none.higher_order import inner_calls, own_call
from tapeviz.diagnosis.none.once_differentiable import connected, cut_off
from tapeviz.diagnosis.op_kinds import is_packages
from tapeviz.diagnosis.question import Question
from tapeviz.events import BackwardStarted, VjpApplied, VjpWitnessed


def lost_in_own_gradient(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """A derivative that is differentiated, or that was to be, is a constant in what the user's own rule gave."""
    sources = list(sources)
    for position, inner, _ in inner_calls(call):
        for at, lost in _lost(call, inner):
            source = next((each for each in sources if call.is_made_of(lost, each)), None)
            if source is not None:
                question = Question(call, source)
                outcome = f"what {question.source_name} gets lacks a part"
                yield cut_off(question, position, at, lost, outcome, severity="warning", symptom="wrong")
    for position, inner, results in own_call(call):
        if inner.create_graph and all(call.graph.producer(each) is None for each in results):
            for at, lost in _lost(call, inner):
                source = next((each for each in inner.sources if call.is_made_of(lost, each)), None)
                if source is not None:
                    outcome = "its derivative counts as zero"
                    question = Question(call, source)
                    yield cut_off(question, position, at, lost, outcome, severity="warning", symptom="wrong")


def _lost(call: GradientCall, inner: BackwardStarted) -> Iterator[tuple[int, int]]:
    """(op, input) where a rule gave something that changes with an input, as autograd does not know."""
    graph, log = call.graph, call.log
    for event in log.of_kind(VjpWitnessed).values() if inner.create_graph else ():
        op = graph.ops.get(event.op)
        if op is None or is_packages(op) or not any(event.bends):
            continue
        for step in log.of_kind(VjpApplied).values():
            if step.run == inner.run and step.op == event.op:
                known = connected(call, step)
                lost = (each for each, bends in zip(op.inputs, event.bends, strict=True) if bends and each not in known)
                yield from ((event.op, each) for each in list(lost)[:1])
