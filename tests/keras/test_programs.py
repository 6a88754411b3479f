"""Keras programs against Keras 3 in TensorFlow: results, texts, paths, error classes."""

from __future__ import annotations

import pytest

from tests.engine.comparison import programs_of
from tests.keras import (
    attention_programs,
    callback_programs,
    config_programs,
    fit_programs,
    layer_programs,
    loss_programs,
    metric_programs,
    model_programs,
    optimizer_programs,
    output_programs,
    own_programs,
    owning_programs,
    penalty_programs,
    recurrent_programs,
    seeded_programs,
    step_programs,
    summary_programs,
    training_programs,
    tutorial_programs,
    weighing_programs,
    weight_programs,
)
from tests.keras.comparison import agree, both

MODULES = (
    attention_programs,
    callback_programs,
    config_programs,
    fit_programs,
    layer_programs,
    loss_programs,
    metric_programs,
    model_programs,
    optimizer_programs,
    output_programs,
    own_programs,
    owning_programs,
    penalty_programs,
    recurrent_programs,
    seeded_programs,
    step_programs,
    summary_programs,
    training_programs,
    tutorial_programs,
    weighing_programs,
    weight_programs,
)
PROGRAMS = {name: program for module in MODULES for name, program in programs_of(module).items()}


@pytest.mark.tensorflow
@pytest.mark.parametrize("name", PROGRAMS)
def test_as_keras(name: str) -> None:
    ours, theirs = both(PROGRAMS[name])
    assert agree(ours, theirs), f"tapeviz: {ours}\ntensorflow: {theirs}"
