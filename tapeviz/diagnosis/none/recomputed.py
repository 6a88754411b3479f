"""Question -> Finding: the target was computed from a second result of the computation that gave the source.

This happens where a model is called for an inner value, and called once more for its output.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import numpy as np

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.op_kinds import COPIES
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import words
from tapeviz.events.summary import elements_of
from tapeviz.graph import Graph
from tapeviz.source.places import line_beside, same_line


def computed_again(question: Question) -> Finding | None:
    """The target was computed from another tensor that the same ops gave of the same inputs, with the same numbers."""
    made = question.graph.producer(question.source)
    at = None if made is None else next(_made_again(question), None)
    if made is None or at is None:
        return None
    first, again = (line_beside(question.log, each, question.call.site, set()) for each in (made, at))
    name, target = question.source_name, question.target_name
    where = f"{words(first)}, twice" if same_line(first, again) else f"{words(first)}, and once more at {words(again)}"
    return question.finding(
        "source_is_other_object",
        again,
        f"What {name} holds is computed at {where}, and {target} was made from the other result, not from {name}: "
        f"{question.outcome}.",
        f"Compute it once: go on from {name} to {target}, or let one call give both.",
        evidence=[made, at],
    )


def _made_again(question: Question) -> Iterator[int]:
    """Where the source's computation was run again, for tensors that the gradient arrives at."""
    log, source = question.log, question.source
    numbers, alike = question.call.once("computations", lambda: _reached_alike(question.call))
    others = [each for each in alike.get(numbers[source], ()) if each != source]
    own = elements_of(log.value(source)) if others else None
    for tensor in others:
        value = elements_of(log.value(tensor))
        at = question.graph.producer(tensor)
        if at is None or own is None or value is None or not np.array_equal(own, value):
            continue  # random numbers are not the same in both
        if tensor not in question.call.ancestors_of((source,)):
            yield at


def _reached_alike(call: GradientCall) -> tuple[dict[int, int], dict[int, list[int]]]:
    """The numbers of the computations, and for each the tensors that the gradient arrives at, in order."""
    numbers = _computations(call.graph)
    alike: dict[int, list[int]] = {}
    for tensor in sorted(call.reached & numbers.keys()):
        alike.setdefault(numbers[tensor], []).append(tensor)
    return numbers, alike


def _computations(graph: Graph) -> dict[int, int]:
    """Tensor -> a number: the same for what the same ops made of the same leaves, and for a copy and its original."""
    known: dict[Hashable, int] = {}
    numbers: dict[int, int] = {}
    for op in graph.ops.values():
        if op.op in COPIES and op.inputs[0] in numbers:
            numbers[op.outputs[0]] = numbers[op.inputs[0]]
            continue
        inputs = tuple([_input(graph, each, numbers) for each in op.inputs])
        for slot, tensor in enumerate(op.outputs):
            numbers[tensor] = known.setdefault((op.op, repr(op.attrs), inputs, slot), len(known))
    return numbers


def _input(graph: Graph, tensor: int, numbers: dict[int, int]) -> Hashable:
    if tensor in numbers:
        return numbers[tensor]
    row = graph.log.tensors[tensor]
    return ("number", repr(graph.log.value(tensor))) if row.role == "literal" else ("leaf", tensor)
