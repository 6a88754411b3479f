"""Run, source -> the steps at which a gradient that is sound but small lost most, on the path that most of it took."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import NamedTuple

from tapeviz.diagnosis.numbers.run_numbers import norm_of
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import at
from tapeviz.events import Site
from tapeviz.graph import Graph
from tapeviz.phrases import listed
from tapeviz.replay import Run, Step
from tapeviz.source.places import site_at

SMALL = 0.01
"""A gradient is small if its norm is less than so much of the seed's."""
LEAVES = 0.5
"""A step that leaves more of what arrives lost little."""
MOST_NAMED = 3


class Shrinking(NamedTuple):
    """An op whose rule hands on, to the next tensor of the path, a gradient `left` times as long as what it got."""

    op: int
    left: float


def explanation(question: Question) -> str:
    """A sentence about where a small gradient became small, after a space; "" where it is not, or nowhere by much."""
    call = question.call
    if not call.is_made or call.run.rows is not None:
        return ""
    whole, part = _seed_norm(call.run, call.graph), norm_of(call.log, call.gradients.get(question.source))
    if not whole or not part or part >= SMALL * whole:
        return ""
    places: dict[tuple[str, Site | None], list[float]] = {}
    for each in path(call.graph, call.run, question.source):
        if each.left < LEAVES:
            place = call.graph.ops[each.op].op, site_at(call.log, each.op)
            places.setdefault(place, []).append(each.left)
    if not places:
        return ""
    lost = sorted((prod(left), len(left), *place) for place, left in places.items())
    named = [_place(question, *each) for each in lost[:MOST_NAMED]]
    return (
        f" That is {part / whole:.2g} of the seed's: on the path that most of it took, most is lost at {listed(named)}."
    )


def path(graph: Graph, run: Run, source: int) -> Iterator[Shrinking]:
    """The steps of the path to a source, from it to a target: each the one that sent most to the tensor before."""
    norms: dict[int, float] = {}
    sent: dict[int, tuple[Step, float]] = {}
    for step in run.steps:
        for each in step.contributions:
            length = norm_of(graph.log, each.cotangent) or 0.0
            if length > norms.get(each.tensor, 0.0):
                norms[each.tensor], sent[each.tensor] = length, (step, length)
    tensor, passed = source, set[int]()
    while tensor in sent and tensor not in passed:
        passed.add(tensor)
        step, length = sent[tensor]
        upstream = [(norm_of(graph.log, each) or 0.0, output) for output, each in _arrived(graph, step)]
        arrived, output = max(upstream, default=(0.0, tensor))
        if arrived:
            yield Shrinking(step.op, length / arrived)
        tensor = output


def _arrived(graph: Graph, step: Step) -> Iterator[tuple[int, int]]:
    """The outputs of a step's op that a gradient arrives at, and it."""
    for output, upstream in zip(graph.ops[step.op].outputs, step.upstream, strict=True):
        if upstream is not None:
            yield output, upstream


def _seed_norm(run: Run, graph: Graph) -> float:
    """The norm of what the first step got."""
    arrived = [norm_of(graph.log, each) for step in run.steps[:1] for _, each in _arrived(graph, step)]
    return max((each for each in arrived if each), default=0.0)


def _place(question: Question, left: float, steps: int, op: str, site: Site | None) -> str:
    times = f" in {steps:,} steps" if steps > 1 else ""
    return f"`{question.dialect.op(op)}`{at(site)} (× {left:.2g}{times})"
