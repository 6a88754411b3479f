"""GradientCall -> Findings about a second derivative that lacks what a gradient function of the user's cut off.

Where nothing but what was cut off leads to a source, that gets None, which is told as such. Here are the derivatives
that arrive by other ways, and those that a library takes for zeros without asking autograd. That a first derivative
does change with what its function reads was found by the framework, which differentiated it twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.none.higher_order import inner_calls, own_call, steps_of
from tapeviz.diagnosis.none.once_differentiable import connected, cut_off
from tapeviz.diagnosis.op_kinds import is_packages
from tapeviz.diagnosis.question import Question
from tapeviz.events import BackwardStarted, VjpWitnessed


def lost_in_own_gradient(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """A derivative that is differentiated, or that was to be, is a constant in what the user's own rule gave."""
    sources = list(sources)
    for position, inner, _ in inner_calls(call):
        for question, at, lost in _lost(call, inner, sources):
            yield _finding(question, position, at, lost, f"what {question.source_name} gets lacks a part")
    for position, inner, results in own_call(call):
        if all(call.graph.producer(each) is None for each in results):
            for question, at, lost in _lost(call, inner, inner.sources):
                yield _finding(question, position, at, lost, "its derivative counts as zero")


def _lost(call: GradientCall, inner: BackwardStarted, sources: Iterable[int]) -> Iterator[tuple[Question, int, int]]:
    """(question, op, input) where a rule gave something that changes with a source, as autograd does not know."""
    bending = {each.op: each.bends for each in call.log.of_kind(VjpWitnessed).values() if any(each.bends)}
    for step in steps_of(call.log, inner) if inner.create_graph and bending else ():
        op = call.graph.ops[step.op]
        if step.op in bending and not is_packages(op):
            known, pairs = connected(call, step), zip(op.inputs, bending[step.op], strict=True)
            lost = next((each for each, bends in pairs if bends and each not in known), None)
            if lost is not None:
                source = next((each for each in sources if call.is_made_of(lost, each)), None)
                if source is not None:
                    yield Question(call, source), step.op, lost


def _finding(question: Question, position: int, at: int, lost: int, outcome: str) -> Finding:
    return cut_off(question, position, at, lost, outcome, severity="warning", symptom="wrong")
