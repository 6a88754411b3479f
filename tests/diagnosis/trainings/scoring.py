"""A training, run as it is and with its fault -> what came of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.diagnosis.planted.running import Told, recorded
from tests.diagnosis.trainings.reading import Training


@dataclass(frozen=True)
class Came:
    """What came of a training: with its fault it is named or missed; without, it is silent, hinted at, or an alarm.

    One that raises, or whose process dies, is broken.
    """

    fault: str
    way: str
    with_fault: str
    without: str
    told: list[Told] = field(default_factory=list)
    told_of_healthy: list[Told] = field(default_factory=list)


def came_of(training: Training) -> Came:
    """Run a training with its fault and without it, each in a recording of its own."""
    (faulty, of_faulty), (healthy, of_healthy) = map(recorded, (training.program.broken, training.program.repaired))
    return Came(
        training.fault,
        training.way,
        _with_fault(training, faulty) if of_faulty is None else f"broken by {of_faulty!r}",
        _without(healthy) if of_healthy is None else f"broken by {of_healthy!r}",
        faulty,
        healthy,
    )


def _with_fault(training: Training, told: Iterable[Told]) -> str:
    """Whether a finding names cause, line, and what else there is to say of it."""
    program = training.program
    right = [each for each in told if each.cause in program.causes and each.line in program.culprits]
    return "named" if any(all(word in each.message for word in training.says) for each in right) else "missed"


def _without(told: Iterable[Told]) -> str:
    told = list(told)
    return "alarm" if any(each.is_loud for each in told) else "hint" if told else "silent"
