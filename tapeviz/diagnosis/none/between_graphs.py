"""Question -> what a compiled function does with a result between two of its graphs, where nothing is recorded."""

from __future__ import annotations

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fixes import in_tensors
from tapeviz.diagnosis.wording.opened import resumed_from
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import Site

_READ_OUTS = (".item()", ".tolist()", ".numpy()")


def left_between_graphs(question: Question, last: int) -> Finding | None:
    """A result is read out as plain numbers at the line at which its function goes on in another graph."""
    site, name = _goes_on(question, last), question.log.tensors[last].name
    how = None if site is None else next((each for each in _READ_OUTS if f"{name}{each}" in site.text), None)
    if how is None or site is None:
        return None
    return question.finding(
        "left_to_numpy",
        site,
        f"`{how}` at {words(site)}, between two graphs of a compiled function, reads {question.name(last)} out as "
        f"plain numbers, which {question.say('the tape')} cannot follow: the gradient of {question.target_name} ends "
        f"there, and {question.outcome}.",
        in_tensors(question.editor, site, how),
        evidence=[question.made_at(last)],
    )


def unseen_between_graphs(question: Question, last: int) -> str:
    """What is not known of a result, for which another graph of its function may well use what it gave."""
    site = _goes_on(question, last)
    return (
        ""
        if site is None
        else f" by what is seen: nothing is recorded of what runs between two graphs at {words(site)}"
    )


def _goes_on(question: Question, tensor: int) -> Site | None:
    """The line between the graph that made a tensor and the next one of the same function."""
    made, site = question.graph.op_of(tensor), question.made_on(tensor)
    line = None if made is None else resumed_from(question.log, made.scope)
    return None if line is None or site is None else question.call.texts.of(site).whole_line(line, site)
