"""Question -> Finding: the source was only used to decide something in Python, by an `if` or the like."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.op_kinds import COMPARISONS
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.wording.smooth import smooth_step
from tapeviz.diagnosis.wording.spelling import written
from tapeviz.events import ReadOut, Site
from tapeviz.source.choices import CHOOSERS, INDEX, TRUTH, Choice, Choices, operand_at

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


def decided(question: Question) -> Finding | None:
    """The source was read out as what Python chose by, and nothing else was made of it."""
    read = question.call.once("choices", lambda: list(_readings(question)))
    if not read:
        return None
    made = _made_of_source(question)
    before = _end(question)
    own = [each for each in read if each.position < before and each.tensor in made and _is_all(question, each, made)]
    if not own or not made <= question.call.ancestors_of([each.tensor for each in own]):
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


def _is_all(question: Question, reading: ReadChoice, made: set[int]) -> bool:
    """Whether no way reads what is chosen by: where another way does, that way was not taken."""
    return not any(map(reading.choice.reads, _operands(question, reading.tensor, made)))


def _weighed(question: Question, tensor: int) -> str:
    """What to write for a choice, by a comparison or by whatever else."""
    op = question.graph.op_of(tensor)
    named = [] if op is None else [written(question, each) or "" for each in op.inputs]
    is_step = op is not None and op.op in COMPARISONS - {"equal", "not_equal"}
    if op is None or not is_step or any(each.endswith("]") for each in named):  # what a loop goes over has no name
        return "Compute both ways and add them up, each times a smooth weight between 0 and 1."
    return f"{smooth_step(question, op)} Compute both ways: `s * a + (1 - s) * b`, where s is that step."


def _operands(question: Question, truth: int, made: set[int]) -> Iterator[str]:
    """How what was `made` of the source is written in the comparison or whatever else gave a truth."""
    op = question.graph.op_of(truth)
    site = None if op is None or op.site is None else question.log.sites[op.site]
    for slot, tensor in enumerate(() if op is None else op.inputs):
        if tensor in made and op is not None and site is not None:
            text = operand_at(question.call.texts.of(site), site, op.op, slot)
            if text is not None:
                yield text
    yield question.source_name.strip("`")


def _made_of_source(question: Question) -> set[int]:
    """The source, and what was computed from it before the target was there."""
    end, graph = _end(question), question.graph
    made = {each: graph.producer(each) for each in graph.descendants([question.source])}
    return {question.source, *(each for each, at in made.items() if at is not None and at < end)}


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
