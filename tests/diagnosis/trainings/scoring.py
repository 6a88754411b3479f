"""A training, run as it is and with its fault -> what came of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.diagnosis.planted.running import Told, findings
from tests.diagnosis.trainings.reading import Training


@dataclass(frozen=True)
class Came:
    """What came of a training: with its fault it is named or missed; without, it is silent, hinted at, or an alarm."""

    fault: str
    way: str
    with_fault: str
    without: str
    told: list[Told] = field(default_factory=list)
    told_of_healthy: list[Told] = field(default_factory=list)


def came_of(training: Training) -> Came:
    """Run a training with its fault and without it, each in a recording of its own."""
    faulty, healthy = findings(training.program.broken), findings(training.program.repaired)
    return Came(training.fault, training.way, _with_fault(training, faulty), _without(healthy), faulty, healthy)


def _with_fault(training: Training, told: Iterable[Told]) -> str:
    """Named by cause, line, and what else there is to say of it; found by some of these."""
    right = [each for each in told if each.cause in training.program.causes and each.line in training.program.culprits]
    return "named" if any(all(word in each.message for word in training.says) for each in right) else "missed"


def _without(told: Iterable[Told]) -> str:
    told = list(told)
    return "alarm" if any(each.is_loud for each in told) else "hint" if told else "silent"
