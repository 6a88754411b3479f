"""A training with layers and an optimizer reads the same when its older records are packed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events import EventLog
from tests.events.memory.test_packed_records import test_every_view_is_the_same as test_every_view_is_the_same
from tests.settling import settle_early


@pytest.fixture
def program() -> Callable[..., EventLog]:
    return training


def training(**options: Any) -> EventLog:
    """A model over some steps, whose loss becomes text and numbers on the way."""
    tv.random.set_seed(1)
    layers = [tv.keras.layers.Dense(8, activation="relu", name="hidden"), tv.keras.layers.Dense(1, name="last")]
    model = tv.keras.Sequential(layers, name="model")
    batch, optimizer = tv.random.normal((5, 3)), tv.keras.optimizers.Adam(0.1, name="adam")
    with tv.record(**options) as log:
        for _ in range(6):
            with tv.GradientTape() as tape:
                loss = tv.reduce_mean(tv.square(model(batch)))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            float(loss)
    return log


def test_the_last_steps_do_not_settle(monkeypatch: pytest.MonkeyPatch) -> None:
    settle_early(monkeypatch)
    assert training(steps=2).packed.length == 0
