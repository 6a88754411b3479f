"""Question -> Finding: the source was only used to decide something in Python, by an `if` or the like."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from operator import or_
from typing import NamedTuple

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.op_kinds import COMPARISONS
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.wording.smooth import smooth_step
from tapeviz.diagnosis.wording.spelling import written
from tapeviz.events import ReadOut, Site
from tapeviz.events.types import TRUTH
from tapeviz.graph import Link, combined_after
from tapeviz.phrases import unquoted
from tapeviz.source.choices import CHOOSERS, INDEX, Choice, Choices, operand_at

_DECIDES = {
    "if": "what Python runs",
    "for": "how often Python runs a loop",
    "while": "how often Python runs a loop",
    INDEX: "which entry Python picks",
    **{each: f"what Python's `{each}` gives" for each in CHOOSERS},
}
"""What is decided by what chooses."""

_OF_ROUNDS = (
    "How often a loop runs has no derivative: run it a fixed number of times, and multiply what each round adds by a "
    "smooth weight between 0 and 1."
)

_SMOOTH_CHOICES = {
    "max": "Use `tf.maximum` in place of Python's `max`: it is an op, which gives its gradient to the larger one.",
    "min": "Use `tf.minimum` in place of Python's `min`: it is an op, which gives its gradient to the smaller one.",
    "sorted": "Use `tf.sort` in place of Python's `sorted`.",
    "for": _OF_ROUNDS,
    "while": _OF_ROUNDS,
    INDEX: "Which entry is picked has no derivative: add all of them up, each times its share of a `tf.nn.softmax`.",
}
"""What to write instead of what chooses for other reasons than to compute one thing or another."""


class ReadChoice(NamedTuple):
    """A value that was read out, and what Python chose by it there."""

    position: int
    tensor: int
    how: str
    site: Site
    choice: Choice


def used_in_control_flow(question: Question) -> Finding | None:
    """The source was read out as what Python chose by, and nothing else was made of it."""
    read = question.call.once("choices", lambda: list(_readings(question)))
    if not read:
        return None
    before = _end(question)
    own = [each for each in read if each.position < before and _is_made(question, each.tensor)]
    own = [each for each in own if _is_all(question, each)]
    if not own or _leads_elsewhere(question, [each.tensor for each in own]):
        return None
    last, source, target = own[-1], question.source_name, question.target_name
    word, tape = last.choice.word, question.say("the tape")
    what = "it" if last.tensor == question.source else "what is computed from it"
    truth = "true or false" if last.how == TRUTH else "a number"
    called, here = "an index" if word == INDEX else f"`{word}`", words(last.site)
    reads = f"{called} at {here} reads {what} out as {truth}"
    if last.choice.name is not None:
        by = words(replace(last.site, line=last.choice.line))
        reads = f"{called} at {by} asks for `{last.choice.name}`, which {here} reads out as {truth}"
    return question.finding(
        "left_to_numpy",
        last.site,
        f"{source} only decides {_DECIDES.get(word, _DECIDES['if'])}: {reads}, which {tape} cannot follow. Nothing "
        f"else leads from {source} to {target}, so {question.outcome}.",
        _SMOOTH_CHOICES.get(word) or _weighed(question, last.tensor),
        evidence=[last.position],
    )


def _is_all(question: Question, reading: ReadChoice) -> bool:
    """Whether no way reads what is chosen by: where another way does, that way was not taken."""
    return not any(map(reading.choice.reads, _operands(question, reading.tensor)))


def _weighed(question: Question, tensor: int) -> str:
    """What to write for a choice, by a comparison or by whatever else."""
    op = question.graph.op_of(tensor)
    named = [] if op is None else [written(question, each) or "" for each in op.inputs]
    is_step = op is not None and op.op in COMPARISONS - {"equal", "not_equal"}
    if op is None or not is_step or any(each.endswith("]") for each in named):  # what a loop goes over has no name
        return "Compute both ways and add them up, each times a smooth weight between 0 and 1."
    return f"{smooth_step(question, op)} Compute both ways: `s * a + (1 - s) * b`, where s is that step."


def _operands(question: Question, truth: int) -> Iterator[str]:
    """How what was made of the source is written in the comparison or whatever else gave a truth."""
    op = question.graph.op_of(truth)
    site = None if op is None or op.site is None else question.log.sites[op.site]
    for slot, tensor in enumerate(() if op is None else op.inputs):
        if _is_made(question, tensor) and op is not None and site is not None:
            text = operand_at(question.call.texts.of(site), site, op.op, slot)
            if text is not None:
                yield text
    yield unquoted(question.source_name)


def _is_made(question: Question, tensor: int) -> bool:
    """Whether a tensor is the source, or was computed from it before the target was there."""
    at = question.graph.producer(tensor)
    is_before = at is not None and at < _end(question) and question.call.is_made_of(tensor, question.source)
    return tensor == question.source or is_before


def _leads_elsewhere(question: Question, tensors: list[int]) -> bool:
    """Whether anything was computed from the source, before the target was there, that took no part in some tensors."""
    graph, end, led = question.graph, _end(question), question.call.ancestors_of(tensors)

    def elsewhere(link: Link) -> bool | None:
        at = graph.producer(link.head)
        return (at is not None and at < end and link.head not in led) or None

    key = ("elsewhere", end, tuple(tensors))
    return question.source in question.call.once(key, lambda: combined_after(graph, elsewhere, or_))


def _end(question: Question) -> int:
    at = question.graph.producer(question.target)
    return (question.call.position or len(question.log.events)) if at is None else at


def _readings(question: Question) -> Iterator[ReadChoice]:
    """All that was read out where Python chose by it."""
    log, choices = question.log, Choices(question.log, question.call.texts)
    for at, reading in log.of_kind(ReadOut).items():
        choice = None if reading.site is None else choices.by(reading)
        if reading.site is not None and choice is not None:
            yield ReadChoice(at, reading.tensor, reading.how, log.sites[reading.site], choice)
