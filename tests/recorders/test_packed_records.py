"""Long recordings of frameworks: what is packed on the way is read as if it were not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.events.stored import views
from tests.recorders.recorded import recorded
from tests.recorders.torch.trainings import TRAININGS
from tests.settling import settle_early


def of_tensorflow() -> None:
    """Two tapes, a persistent one among them, an optimizer and sparse gradients."""
    import tensorflow as tf

    table, w = tf.Variable(tf.ones((6, 3)), name="table"), tf.Variable(tf.ones((3, 1)), name="w")
    optimizer = tf.keras.optimizers.Adam(0.1, name="adam")
    for step in range(4):
        with tf.GradientTape() as outer, tf.GradientTape(persistent=True) as tape:
            rows = tf.gather(table, [step, step + 1, step])
            loss = tf.reduce_sum(tf.tanh(rows @ w))
        tape.gradient(loss, rows)
        gradients = outer.gradient(loss, [table, w])
        optimizer.apply_gradients(zip(gradients, [table, w], strict=True))


@pytest.fixture
def torch_settles_early(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """A call after which the ops of graphs are packed as well."""

    def settle() -> None:
        from tapeviz.recorders.torch.backward import sequence_numbers

        settle_early(monkeypatch)
        monkeypatch.setattr(sequence_numbers, "TOGETHER", 2)

    return settle


@pytest.mark.torch
@pytest.mark.parametrize("options", [{}, {"values": "none"}, {"max_bytes": 2000}])
@pytest.mark.parametrize("name", sorted(TRAININGS))
def test_pytorch_settled_early_has_the_same_views(
    name: str, options: dict[str, Any], torch_settles_early: Callable[[], None]
) -> None:
    plain = recorded(TRAININGS[name], **options)
    torch_settles_early()
    log = recorded(TRAININGS[name], **options)
    assert plain.packed.length == 0
    assert log.packed.length
    assert views(log) == views(plain)


@pytest.mark.tensorflow
@pytest.mark.parametrize("options", [{}, {"values": "none"}, {"max_bytes": 600}])
def test_tensorflow_settled_early_has_the_same_views(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    plain = recorded(of_tensorflow, **options)
    settle_early(monkeypatch)
    log = recorded(of_tensorflow, **options)
    assert plain.packed.length == 0
    assert log.packed.length > len(log.raw)
    assert views(log) == views(plain)
