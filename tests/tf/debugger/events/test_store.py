"""A training with layers and an optimizer, saved and loaded, shows what it showed."""

from __future__ import annotations

from pathlib import Path

import tapeviz as tv
from tests.events.stored import reloaded, views


def test_a_layered_model_over_several_steps_that_is_read_again_has_the_same_views(tmp_path: Path) -> None:
    tv.random.set_seed(1)
    model = tv.keras.Sequential([tv.keras.layers.Dense(4, activation="relu"), tv.keras.layers.Dense(1)])
    batch, optimizer = tv.random.normal((5, 3)), tv.keras.optimizers.SGD(0.1)
    with tv.record() as log:
        for _ in range(3):
            with tv.GradientTape() as tape:
                loss = tv.reduce_mean(tv.square(model(batch)))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    assert views(reloaded(log, tmp_path)) == views(log)
    assert views(reloaded(tape, tmp_path)) == views(tape.log)
