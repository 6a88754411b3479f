"""Question -> Finding: the sources are the variables of a twin of the model that the target was computed with.

A target network is one: it has as many variables, of the same shapes, and is not to learn by the gradient.
"""

from __future__ import annotations

from collections.abc import Sequence

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import BackwardStarted
from tapeviz.graph import Graph
from tapeviz.phrases import counted


def of_a_twin(question: Question) -> Finding | None:
    """No gradient arrives at any source; those that it arrives at nobody asks for, and they pair with the sources."""
    call = question.call
    used = call.once("twin", lambda: _used(call))
    if not used:
        return None
    name, target, say = question.source_name, question.target_name, question.say
    first, more = question.name(used[0]), counted(len(used) - 1, "other")
    part = f"take part only where {say('the tape')} does not follow them" if _takes_part(question) else "take no part"
    site = call.site if _takes_part(question) else call.listed or call.site
    return question.finding(
        "source_is_other_object",
        site,
        f"{target} learns by other variables, {first} and {more} of the same shapes, and no call asks for a gradient "
        f"by them; {name} and what is listed with it at {words(site)} {part}: {question.outcome}.",
        f"Ask for the gradient by the variables of the model that {target} is computed with: {first} and the others.",
        evidence=[question.made_at(used[0])],
    )


def _takes_part(question: Question) -> bool:
    return question.call.trail.reaches(question.source)


def are_twins(graph: Graph, parameters: Sequence[int], others: Sequence[int]) -> bool:
    """Whether two lists of parameters are those of equal models."""
    shapes = [[graph.log.tensors[each].shape for each in listed] for listed in (parameters, others)]
    return len(parameters) > 1 and shapes[0] == shapes[1]


def _used(call: GradientCall) -> list[int]:
    """The variables that the gradient arrives at, if they pair with the sources by shape, and no call names them."""
    graph = call.graph
    if not call.named or not call.reached.isdisjoint(call.sources):
        return []
    used = [each for each in call.reached_leaves if graph.is_variable(each)]
    if not are_twins(graph, call.sources, used):
        return []
    asked = {each for event in call.log.of_kind(BackwardStarted).values() for each in event.sources}
    return [] if not asked.isdisjoint(used) else used
