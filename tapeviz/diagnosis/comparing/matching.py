"""Two Graphs -> pairs of counterparts, and whether their values are the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tapeviz.diagnosis.comparing.divergence import Divergence
from tapeviz.diagnosis.comparing.pairing import Pairing
from tapeviz.diagnosis.comparing.program_values import ProgramValue, arriving, program_values
from tapeviz.diagnosis.comparing.tolerance import Tolerance
from tapeviz.diagnosis.comparing.values import KnownValues
from tapeviz.events.summary import summary_of
from tapeviz.graph import Graph
from tapeviz.replay import runs


class ValueDifference(NamedTuple):
    """Whether two values are the same, and how far they are apart; None where that is not known."""

    same: bool | None
    distance: float | None


UNKNOWN = ValueDifference(None, None)


@dataclass(frozen=True)
class Match:
    """What one program made and its counterpart in the other; a side is None where it has none there.

    `gradients` are the ids of what arrived at either in a gradient call, None where nothing did.
    """

    before: ProgramValue | None
    after: ProgramValue | None
    value: ValueDifference
    gradients: tuple[int | None, int | None]
    gradient: ValueDifference


def matches(one: Graph, other: Graph, tolerance: Tolerance, diverged: Sequence[Divergence]) -> list[Match]:
    """All that both programs made, in order, counterparts together; `diverged` are the steps at which they part."""
    values = KnownValues(tolerance)
    steps = diverged or (None, None)
    sides = [list(program_values(graph, values, step)) for graph, step in zip((one, other), steps, strict=True)]
    logs = one.log, other.log
    swept = [runs(log) for log in logs]
    asked = [
        pair for mine, theirs in zip(*swept, strict=False) for pair in zip(mine.targets, theirs.targets, strict=False)
    ]
    pairs = Pairing(sides[0], sides[1], tolerance.ported)
    pairs.match([*asked, *([(diverged[0].tensor, diverged[1].tensor)] if diverged else [])])
    calls = [arriving(each) for each in swept]

    def match(at: int | None, other_at: int | None) -> Match:
        made = [None if index is None else side[index] for side, index in zip(sides, (at, other_at), strict=True)]
        gradients = _gradients(calls, made)
        held = [[] if each is None else each.values(log) for each, log in zip(made, logs, strict=True)]
        arrived = [[] if each is None else [log.value(each)] for each, log in zip(gradients, logs, strict=True)]
        return Match(made[0], made[1], _difference(held, tolerance), gradients, _difference(arrived, tolerance))

    return [match(*pair) for pair in pairs.in_order()]


def _difference(held: Sequence[Sequence[Any]], tolerance: Tolerance) -> ValueDifference:
    """How near the values of one program are to those of the other."""
    one, other = held
    if not one or not other or any(summary_of(each) is None for each in (*one, *other)):
        return UNKNOWN
    if len(one) != len(other):
        return ValueDifference(False, None)
    pairs = list(zip(one, other, strict=True))
    distances = [tolerance.distance(*pair) for pair in pairs]
    known = [each for each in distances if each is not None]
    is_same = all(tolerance.same(*pair) for pair in pairs)
    return ValueDifference(is_same, max(known) if len(known) == len(pairs) else None)


def _gradients(
    calls: Sequence[Sequence[dict[int, int]]], counterparts: Sequence[ProgramValue | None]
) -> tuple[int | None, int | None]:
    """What arrived at two counterparts: in the last call of both where something did, else in the last of each."""
    one, other = (
        [] if each is None else [call.get(each.tensors[0]) for call in of_program]
        for of_program, each in zip(calls, counterparts, strict=True)
    )
    both = [pair for pair in zip(one, other, strict=False) if None not in pair]
    return both[-1] if both else (_last(one), _last(other))


def _last(gradients: Sequence[int | None]) -> int | None:
    return next((each for each in reversed(gradients) if each is not None), None)
