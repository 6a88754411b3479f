"""Trainings -> what came of each, in a process for each way to train: one that dies or hangs costs one training."""

from __future__ import annotations

from collections.abc import Iterator

from tests.diagnosis.planted.workers import forked, worked
from tests.diagnosis.trainings.reading import Training
from tests.diagnosis.trainings.scoring import Came, came_of

FRAMEWORKS = {"torch": "torch", "trainers": "torch", "keras": "tensorflow", "optax": "jax"}
"""What each way to train needs to have imported."""


def results(chosen: list[Training]) -> Iterator[Came]:
    """What came of the trainings whose packages are here, way by way."""
    for way, framework in FRAMEWORKS.items():
        some = [each for each in chosen if each.way == way and not each.missing]
        if some:
            yield from worked(framework, _forked, [(each,) for each in some])


def _forked(training: Training) -> Iterator[Came]:
    came = list(forked(_once, training))
    yield came[0] if came else Came(training.fault, training.way, "broken", "broken")


def _once(training: Training) -> Iterator[Came]:
    yield came_of(training)
