"""Two Graphs -> in each program, the line from which on its values differ from the other's.

Values are looked for by what they are: two frameworks take other steps to one result, under other names. So the value
of a target that is not the same is followed back to the step that read what the other program has as well, and made
of it what that does not have.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from tapeviz.diagnosis.comparing.tolerance import Tolerance
from tapeviz.diagnosis.comparing.values import KnownValues
from tapeviz.diagnosis.gradient_call import finished_calls
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import EventLog, Site
from tapeviz.events.summary import summary_of
from tapeviz.graph import Graph
from tapeviz.source.places import site_at


class Divergence(NamedTuple):
    """What made a value: an op, or a tensor that no op made; its line, the tensor, and the position of the op."""

    what: str
    site: Site | None
    tensor: int
    position: int | None

    def __str__(self) -> str:
        if self.site is None:
            return f"{self.what}, made before the recording"
        return f"{words(self.site)}: {self.what}:  {self.site.text}"


TensorAt = tuple[int, int]
"""A tensor, and a position in the log from which to look at it."""


def divergence(one: Graph, other: Graph, tolerance: Tolerance) -> tuple[Divergence, ...] | None:
    """The steps of both programs from which on their values differ; none if the targets are equal.

    They are those of the first gradient call whose targets differ; without any call, of the last results. None where
    no values were kept.
    """
    kept = False
    for mine, theirs in zip(_targets(one), _targets(other), strict=False):
        values = one.log.value(*mine), other.log.value(*theirs)
        if None in map(summary_of, values):
            continue
        kept = True
        if not tolerance.same(*values):
            known = _values(one, tolerance), _values(other, tolerance)
            return _first_unknown(one, mine, known[1]), _first_unknown(other, theirs, known[0])
    return () if kept else None


def _targets(graph: Graph) -> Iterator[TensorAt]:
    calls = finished_calls(graph)
    for call in calls:
        yield from ((target, call.position or 0) for target in call.targets)
    if not calls and graph.ops:
        position, op = max(graph.ops.items())
        yield from ((output, position) for output in op.outputs)


def _first_unknown(graph: Graph, target: TensorAt, known: KnownValues) -> Divergence:
    """The first step on the way to a target that computes an unknown value from known ones."""
    waiting, met, steps = [target], {target}, []
    while waiting:
        tensor, at = waiting.pop()
        op = graph.op_of(tensor)
        if op is None:
            steps.append((_since(graph.log, tensor, at), name_of(graph, tensor), tensor))
            continue
        position = graph.producer(tensor) or 0
        strange = [(each, position) for each in op.inputs if not _is_known(graph, each, position, known)]
        if not strange:
            steps.append((position, op.op, tensor))
        fresh = dict.fromkeys(each for each in strange if each not in met)
        met.update(fresh)
        waiting += fresh
    position, what, tensor = min(steps)
    site = site_at(graph.log, position) if position >= 0 else None
    return Divergence(what, site, tensor, graph.producer(tensor))


def _since(log: EventLog, tensor: int, at: int) -> int:
    """The position at which a tensor came to hold what it holds at another."""
    held = [since for since, _ in log.versions(tensor)]
    return held[max(0, bisect_right(held, at) - 1)] if held else -1


def _is_known(graph: Graph, tensor: int, at: int, known: KnownValues) -> bool:
    """Whether a tensor's value is among those of the other program; a leaf that was not kept counts as known."""
    value = graph.log.value(tensor, at)
    return graph.op_of(tensor) is None if summary_of(value) is None else known.number_of(value) is not None


def _values(graph: Graph, tolerance: Tolerance) -> KnownValues:
    """All values that a program began with or computed."""
    values = KnownValues(tolerance)
    for value in _held(graph):
        values.add(value)
    return values


def _held(graph: Graph) -> Iterable[Any]:
    log = graph.log
    made = {output for op in graph.ops.values() for output in op.outputs}
    for tensor in made | graph.leaves.keys():
        for since, _ in log.versions(tensor):
            yield log.value(tensor, since)
