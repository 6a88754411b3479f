"""Probabilities that are clipped before their logarithm is taken."""

from __future__ import annotations

import numpy as np
import pytest

from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.finding import Finding
from tests.diagnosis.programs import run
from tests.engine import names as tf

X = "x = tf.constant([[1.0, 2.0], [3.0, -1.0], [-30.0, -40.0], [30.0, 40.0]])\nw = tf.Variable([[1.0], [1.0]])\n"
STEP = "g = tape.gradient(loss, w)\n"
TWO_CLASSES = """
with tf.GradientTape() as tape:
    p = tf.clip_by_value(tf.sigmoid(tf.matmul(x, w)), 1e-7, 1 - 1e-7)
    loss = -tf.reduce_mean(y * tf.math.log(p) + (1 - y) * tf.math.log(1 - p))
"""
CLASSES = """
with tf.GradientTape() as tape:
    z = tf.matmul(x, w)
    p = tf.nn.softmax(tf.concat([z, -z], axis=1))
    loss = -tf.reduce_mean(tf.math.log(tf.maximum(tf.gather(p, y, batch_dims=1), 1e-7)))
"""


def _found(text: str) -> list[Finding]:
    return list(diagnose(run(text, tf)))


@pytest.mark.parametrize(
    ("labels", "count"),
    [
        ("[[0.0], [1.0], [1.0], [1.0]]", "1 element"),  # the third is wrong, and below the lower bound
        ("[[0.0], [1.0], [0.0], [0.0]]", "1 element"),  # the fourth is wrong, and above the upper one
        ("[[0.0], [1.0], [1.0], [0.0]]", "2 elements"),
    ],
)
def test_wrong_predictions_beyond_the_bounds_are_told_once(labels: str, count: str) -> None:
    (finding,) = _found(f"{X}y = tf.constant({labels}){TWO_CLASSES}{STEP}")
    assert (finding.cause, finding.severity, finding.symptom) == ("saturation", "hint", "wrong")
    assert count in finding.message
    assert "`tf.nn.sigmoid_cross_entropy_with_logits(y, tf.matmul(x, w))`" in finding.fix


def test_right_predictions_may_be_beyond_the_bounds() -> None:
    assert _found(f"{X}y = tf.constant([[0.0], [1.0], [0.0], [1.0]]){TWO_CLASSES}{STEP}") == []


@pytest.mark.parametrize(("labels", "causes"), [("[1, 0, 0, 1]", ["saturation"]), ("[1, 0, 1, 0]", [])])
def test_the_share_of_the_class_may_be_what_is_clipped(labels: str, causes: list[str]) -> None:
    found = _found(f"{X}y = tf.constant({labels}){CLASSES}{STEP}")
    assert [each.cause for each in found] == causes
    assert all("tf.nn.log_softmax(" in each.fix for each in found)


def test_what_is_no_probability_is_clipped_in_peace() -> None:
    text = "with tf.GradientTape() as tape:\n    loss = tf.reduce_sum(tf.math.log(tf.maximum(tf.matmul(x, w), 1e-3)))\n"
    assert _found(f"{X}{text}{STEP}") == []


@pytest.mark.torch
def test_a_clamp_of_pytorch_is_told_too() -> None:
    torch = pytest.importorskip("torch")
    w = torch.tensor([[1.0], [1.0]], requires_grad=True)
    x, y = torch.tensor([[1.0, 2.0], [30.0, 40.0]]), torch.tensor([[1.0], [0.0]])
    with tf.record() as log:
        p = torch.sigmoid(x @ w).clamp(1e-7, 1 - 1e-7)
        loss = -(y * p.log() + (1 - y) * (1 - p).log()).mean()
        loss.backward()
    (finding,) = diagnose(log)
    assert finding.cause == "saturation"
    assert "binary_cross_entropy_with_logits(x @ w, y, reduction='none')" in finding.fix


@pytest.mark.jax
def test_a_clip_of_jax_is_told_too() -> None:
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    x, y = np.float32([[1.0, 2.0], [30.0, 40.0]]), np.float32([[1.0], [0.0]])

    def loss(w: object) -> object:
        p = jnp.clip(jax.nn.sigmoid(x @ w), 1e-7, 1 - 1e-7)
        return -(y * jnp.log(p) + (1 - y) * jnp.log(1 - p)).mean()

    (finding,) = diagnose(tf.record_jax(loss, np.ones((2, 1), np.float32)))
    assert (finding.cause, finding.symptom) == ("saturation", "wrong")
