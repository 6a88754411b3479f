"""Keras programs against Keras 3 in TensorFlow: results, texts, paths, error classes."""

from __future__ import annotations

import pytest

from tests.engine.comparison import programs_of
from tests.keras import (
    attention_programs,
    owning_programs,
    programs,
    recurrent_programs,
    seeded_programs,
    training_programs,
    tutorial_programs,
)
from tests.keras.comparison import agree, both

MODULES = (
    programs,
    recurrent_programs,
    attention_programs,
    owning_programs,
    training_programs,
    tutorial_programs,
    seeded_programs,
)
PROGRAMS = {name: program for module in MODULES for name, program in programs_of(module).items()}


@pytest.mark.tensorflow
@pytest.mark.parametrize("name", PROGRAMS)
def test_as_keras(name: str) -> None:
    ours, theirs = both(PROGRAMS[name])
    assert agree(ours, theirs), f"tapeviz: {ours}\ntensorflow: {theirs}"
