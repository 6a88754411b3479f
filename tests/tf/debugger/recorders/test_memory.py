"""What a long training by an optimizer takes of memory stays within the budget."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tapeviz as tf
from tests.recorders.test_memory import test_values_stay_within_the_budget as test_values_stay_within_the_budget


@pytest.fixture
def step() -> Callable[[], None]:
    w, b = tf.Variable(np.ones((100, 50), np.float32)), tf.Variable(np.zeros(50, np.float32))
    x, optimizer = tf.constant(np.ones((20, 100), np.float32)), tf.keras.optimizers.Adam(0.01)

    def step() -> None:
        with tf.GradientTape() as tape:
            h = x @ w + b
            loss = tf.reduce_sum(tf.nn.relu(h + h))
        optimizer.apply_gradients(zip(tape.gradient(loss, (w, b)), (w, b), strict=True))

    return step
