"""Targets that learn are a hint where a difference is measured, and none where only more of one side is better."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapeviz as tf

LOSSES: dict[str, tuple[Callable[[Any], Any], bool]] = {
    "a mean of squares": (lambda difference: tf.reduce_mean(tf.square(difference)), True),
    "a product with itself": (lambda difference: tf.reduce_sum(difference * difference), True),
    "sizes, weighted": (lambda difference: tf.reduce_mean(tf.abs(tf.reshape(0.5 * difference, [-1]))), True),
    "a mean": (tf.reduce_mean, False),
    "a margin": (lambda difference: tf.reduce_mean(tf.nn.relu(difference)), False),
}
"""What is made of the difference between a target and what it is a target of -> whether that is a distance."""


@pytest.mark.parametrize("name", LOSSES)
def test_a_target_is_what_a_distance_is_taken_to(name: str) -> None:
    loss, is_distance = LOSSES[name]
    w = tf.Variable([[0.3], [0.5]], name="w")
    state, following, reward = tf.constant([[1.0, 2.0]]), tf.constant([[0.5, 1.0]]), tf.constant([[1.0]])
    with tf.GradientTape() as tape:
        value = loss(reward + 0.9 * (following @ w) - state @ w)
    tape.gradient(value, w)
    assert [each.cause for each in tf.diagnose(tape)] == ["missing_stop_gradient"] * is_distance
