"""Question -> Finding: all that came of the source is a choice that Python made, by an `if` or the like."""

from __future__ import annotations

from collections.abc import Iterator

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.op_kinds import COMPARISONS
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.source.choices import CHOOSERS, TRUTH, chosen_by, operand_at
from tapeviz.diagnosis.wording.places import site_at, words
from tapeviz.diagnosis.wording.smooth import smooth_step
from tapeviz.events import ReadOut

_SMOOTH_CHOICES = {
    "max": "Use `tf.maximum` in place of Python's `max`: it is an op, which gives its gradient to the larger one.",
    "min": "Use `tf.minimum` in place of Python's `min`: it is an op, which gives its gradient to the smaller one.",
    "sorted": "Use `tf.sort` in place of Python's `sorted`.",
    "while": (
        "How often a loop runs has no derivative: run it a fixed number of times, and multiply what each round adds by "
        "a smooth weight between 0 and 1."
    ),
}
"""What to write instead of what chooses for other reasons than to compute one thing or another."""


def decided(question: Question) -> Finding | None:
    """The source was read out as a truth, by which Python chose what to run, and nothing else was made of it."""
    made = _made_of_source(question)
    found = question.call.once("truths", lambda: _truths(question))
    before = _end(question)
    readings = [at for at, tensor in found if at < before and tensor in made]
    if not readings or not made <= question.call.ancestors_of([_tensor(question, each) for each in readings]):
        return None
    at = readings[-1]
    tensor, site = _tensor(question, at), site_at(question.log, at)
    choice = None if site is None else chosen_by(question.call.texts.of(site), site)
    if site is None or choice is None or any(map(choice.reads, _operands(question, tensor))):
        return None  # where another way reads it, that way was not taken
    word, source, target = choice.word, question.source_name, question.target_name
    read = "it" if tensor == question.source else "what is computed from it"
    decides = f"what Python's `{word}` gives" if word in CHOOSERS else "what Python runs"
    return question.finding(
        "left_to_numpy",
        site,
        f"{source} only decides {decides}: `{word}` at {words(site)} reads {read} out as true or false, which "
        f"{question.speech.tape} cannot follow. Nothing else leads from {source} to {target}, so {question.outcome}.",
        _SMOOTH_CHOICES.get(word) or _weighed(question, tensor),
        evidence=[at],
    )


def _weighed(question: Question, tensor: int) -> str:
    """What to write for a choice, by a comparison or by whatever else."""
    op = question.graph.op_of(tensor)
    if op is None or op.op not in COMPARISONS or op.op in ("equal", "not_equal"):
        return "Compute both ways and add them up, each times a smooth weight between 0 and 1."
    return f"{smooth_step(question, op)} Compute both ways: `s * a + (1 - s) * b`, where s is that step."


def _operands(question: Question, truth: int) -> Iterator[str]:
    """How what came of the source is written in the comparison or whatever else gave a truth."""
    op, made = question.graph.op_of(truth), _made_of_source(question)
    site = None if op is None or op.site is None else question.log.sites[op.site]
    for slot, tensor in enumerate(() if op is None else op.inputs):
        if tensor in made and op is not None and site is not None:
            written = operand_at(question.call.texts.of(site), site, op.op, slot)
            if written is not None:
                yield written
    yield question.source_name.strip("`")


def _made_of_source(question: Question) -> set[int]:
    """The source, and what was computed from it before the target was there."""
    end, graph = _end(question), question.graph
    made = {each: graph.producer(each) for each in graph.descendants([question.source])}
    return {question.source, *(each for each, at in made.items() if at is not None and at < end)}


def _end(question: Question) -> int:
    at = question.graph.producer(question.target)
    return (question.call.position or len(question.log.events)) if at is None else at


def _truths(question: Question) -> list[tuple[int, int]]:
    """(position, tensor) of all that was read out as true or false."""
    events = enumerate(question.log.events)
    return [(at, each.tensor) for at, each in events if isinstance(each, ReadOut) and each.how == TRUTH]


def _tensor(question: Question, reading: int) -> int:
    event = question.log.events[reading]
    assert isinstance(event, ReadOut)
    return event.tensor
