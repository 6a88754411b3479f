"""The steps -> faults that are planted into them, chosen by hash: no program and no fault more than once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.diagnosis.planted.planting import Pair, hashed, pairs
from tests.diagnosis.planted.scoring import Result
from tests.diagnosis.planted.workers import results
from tests.recorders.jax.steps.comparing import Step

MOST = 32
"""How many are planted; some do not show."""


def planted(chosen: Iterable[Step]) -> list[Pair]:
    """A fault for each of some steps, which no other has."""
    found: list[Pair] = []
    for each in sorted(pairs(chosen), key=lambda each: hashed(each.name)):
        if all(each.program is not other.program and each.fault is not other.fault for other in found):
            found.append(each)
    return found[:MOST]


def came_of(chosen: list[Pair]) -> Iterator[Result]:
    """What came of each whose fault shows in the gradients, and of steps that end without one."""
    for each in results([pair.program for pair in chosen], chosen):
        if each.counts and (each.fault or each.outcome == "broken"):
            yield each
