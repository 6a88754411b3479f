"""An error of an optimizer says why under its traceback."""

from __future__ import annotations

import pytest

import tapeviz as tf
from tests.diagnosis.test_explain import Explained
from tests.diagnosis.test_explain import test_an_error_carries_its_finding as test_an_error_carries_its_finding


def nothing_provided() -> None:
    w, v = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.constant((w * v).numpy()))
    gradients = tape.gradient(loss, [w, v])
    tf.keras.optimizers.SGD(0.1).apply_gradients(zip(gradients, [w, v], strict=True))


def empty_list() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    weights = model.trainable_variables
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(tf.ones((2, 3))))
    tf.keras.optimizers.Adam().apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))


def rows_as_variables() -> None:
    w = tf.Variable([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * w)
    tf.keras.optimizers.SGD(0.1).apply_gradients(zip(tape.gradient(loss, w), w, strict=True))


EXPLAINED: list[Explained] = [
    (nothing_provided, ValueError, "left_to_numpy"),
    (empty_list, ValueError, "untracked_parameter"),
    (rows_as_variables, AttributeError, "api_misuse"),
]


@pytest.fixture(params=EXPLAINED, ids=lambda each: each[0].__name__)
def explained(request: pytest.FixtureRequest) -> Explained:
    return request.param
