"""The faults between gradient and weight in healthy trainings: the texts, and a sample that is run, chosen by hash."""

from __future__ import annotations

import ast

import pytest

from tests.diagnosis.planted.planting import hashed
from tests.diagnosis.trainings.faults import FAULTS
from tests.diagnosis.trainings.reading import WAYS, Training, trainings
from tests.diagnosis.trainings.running import FRAMEWORKS, results

OF_EACH = 2
"""How many trainings of each way are run; `python -m tests.diagnosis.trainings` runs all."""


@pytest.mark.parametrize("way", WAYS)
def test_each_way_to_train_has_each_fault(way: str) -> None:
    assert [each.fault for each in trainings(way)] == list(FAULTS)


@pytest.mark.parametrize("training", [each for way in WAYS for each in trainings(way)], ids=lambda each: each.name)
def test_a_training_differs_from_the_healthy_one_and_has_lines_to_name(training: Training) -> None:
    for text in (training.program.broken, training.program.repaired):
        ast.parse(text)
    assert training.program.broken != training.program.repaired
    assert training.program.culprits
    assert training.says


@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=getattr(pytest.mark, framework)) for way, framework in FRAMEWORKS.items()]
)
def test_the_fault_is_named_and_nothing_is_said_without_it(way: str) -> None:
    here = [each for each in trainings(way) if not each.missing]
    if not here:
        pytest.skip("the libraries of this way to train are not installed")
    sample = sorted(here, key=lambda each: hashed(each.name))[:OF_EACH]
    assert [(each.fault, each.with_fault, each.without) for each in results(sample)] == [
        (each.fault, "named", "silent") for each in sample
    ]
