"""Two Graphs of one program -> the first op, in program order, at which values or cotangents part; at both lines."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot, isfinite

from tapeviz.diagnosis.comparing.actions import KEYS, actions
from tapeviz.diagnosis.comparing.align import align
from tapeviz.diagnosis.comparing.collected import Collected
from tapeviz.diagnosis.comparing.divergence import divergence
from tapeviz.diagnosis.comparing.rounding import SURE, Errors, of_ops, of_runs
from tapeviz.diagnosis.comparing.tolerance import Tolerance, distance
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import Site
from tapeviz.graph import Graph
from tapeviz.phrases import listed
from tapeviz.replay import Run, Step
from tapeviz.source.places import site_at


@dataclass(frozen=True)
class Parting:
    """The first op of both programs that gives something else in each: its value, or the gradient that its VJP sends.

    `what` says it in words; `distance` is how far the two are apart, relative to the longer, where that is known.
    """

    what: str
    sites: tuple[Site | None, Site | None]
    positions: tuple[int | None, int | None]
    distance: float | None

    def __str__(self) -> str:
        return self.what if self.distance is None else f"{self.what}, {self.distance:.1e} apart"

    @property
    def lines(self) -> list[str]:
        """Both lines, once where they are one."""
        sites = [each for each in dict.fromkeys(self.sites) if each is not None]
        return [f"{words(each)}:  {each.text}" for each in sites]


def parting(one: Collected, other: Collected) -> Parting | None:
    """Where two recordings part; None where nothing that both did and kept does."""
    if one.graph is None or other.graph is None:
        return None
    if one.is_port_of(other):
        return _of_ported(one.graph, other.graph)
    pairs = dict(_ops_of_both(one.graph, other.graph))
    return _in_values(one.graph, other.graph, pairs) or _in_cotangents(one, other, pairs)


def _of_ported(one: Graph, other: Graph) -> Parting | None:
    found = divergence(one, other, Tolerance(ported=True))
    if not found:
        return None
    mine, theirs = found
    what = mine.what if mine.what == theirs.what else f"{mine.what} and {theirs.what}"
    return Parting(f"the value of {what}", (mine.site, theirs.site), (mine.position, theirs.position), None)


def _ops_of_both(one: Graph, other: Graph) -> Iterator[tuple[int, int]]:
    """The positions of ops that are each other's counterparts, in program order."""
    mine, theirs = ([each for each in actions(graph.log) if each.position in graph.ops] for graph in (one, other))
    for at, there, _ in align(mine, theirs, KEYS):
        yield mine[at].position, theirs[there].position


def _in_values(one: Graph, other: Graph, pairs: Mapping[int, int]) -> Parting | None:
    errors = of_ops(one), of_ops(other)
    for at, there in pairs.items():
        op, counterpart = one.ops[at], other.ops[there]
        for mine, theirs in zip(op.inputs, counterpart.inputs, strict=False):
            is_given = one.producer(mine) is None and other.producer(theirs) is None
            if is_given and (apart := _apart(one, other, (mine, at), (theirs, there), errors)) is not None:
                what = f"what {op.op} is given as {name_of(one, mine)}"
                return Parting(what, (site_at(one.log, at), site_at(other.log, there)), (at, there), apart)
        for mine, theirs in zip(op.outputs, counterpart.outputs, strict=False):
            if (apart := _apart(one, other, (mine, at), (theirs, there), errors)) is not None:
                alone = _alone(one, at, pairs), _alone(other, there, set(pairs.values()))
                names = [
                    graph.ops[each].op for graph, each in zip((one, other), alone, strict=True) if each is not None
                ]
                led = f", after {listed(names)} in {'one' if len(names) == 1 else 'each'} alone" if names else ""
                at, there = (own if own is not None else each for own, each in zip(alone, (at, there), strict=True))
                sites = site_at(one.log, at), site_at(other.log, there)
                return Parting(f"the value of {op.op}{led}", sites, (at, there), apart)
    return None


def _alone(graph: Graph, position: int, known: Container[int]) -> int | None:
    """The first of the ops without a counterpart that lead straight to an op; None where there is none."""
    found = None
    waiting = [position]
    while waiting:
        for each in graph.ops[waiting.pop()].inputs:
            made = graph.producer(each)
            if made is not None and made in graph.ops and made not in known:
                found = made if found is None else min(found, made)
                waiting.append(made)
    return found


def _in_cotangents(one: Collected, other: Collected, pairs: Mapping[int, int]) -> Parting | None:
    assert one.graph is not None
    assert other.graph is not None
    errors = of_runs(one.graph, one.runs), of_runs(other.graph, other.runs)
    for mine, theirs in _steps_of_both(one.runs, other.runs, pairs):
        sent = {each.slot: each for each in theirs.contributions}
        for each in mine.contributions:
            if each.slot not in sent:
                continue
            places = (each.cotangent, mine.position), (sent[each.slot].cotangent, theirs.position)
            apart = _apart(one.graph, other.graph, *places, errors)
            if apart is not None:
                op = one.graph.ops[mine.op].op
                sites = site_at(one.graph.log, mine.op), site_at(other.graph.log, theirs.op)
                what = f"the gradient that {op} sends to {name_of(one.graph, each.tensor)}"
                return Parting(what, sites, (mine.op, theirs.op), apart)
    return None


def _steps_of_both(one: Sequence[Run], other: Sequence[Run], pairs: Mapping[int, int]) -> Iterator[tuple[Step, Step]]:
    """The steps back that are each other's counterparts, in order."""
    for mine, theirs in zip(one, other, strict=False):
        known = {step.op: step for step in theirs.steps}
        for step in mine.steps:
            there = pairs.get(step.op)
            if there is not None and there in known:
                yield step, known[there]


def _apart(
    one: Graph, other: Graph, mine: tuple[int, int], theirs: tuple[int, int], errors: tuple[Errors, Errors]
) -> float | None:
    """How far two tensors are apart, relative to the longer; None where that is not known, or may be rounding."""
    found = distance(one.log.value(*mine), other.log.value(*theirs))
    if found is None:
        return None
    expected = hypot(errors[0].get(mine[0], 0.0), errors[1].get(theirs[0], 0.0))
    return found if isfinite(expected) and found > SURE * expected else None
