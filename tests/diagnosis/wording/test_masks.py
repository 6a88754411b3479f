"""What is advised where the infinity of a mask becomes NaN, and where there is nothing to read."""

from __future__ import annotations

import pytest

import tapeviz as tf
from tapeviz.diagnosis.diagnose import diagnose
from tests.diagnosis.programs import run

ENTROPY = """w = tf.Variable([0.1, 0.5, -0.2], dtype=tf.{dtype})
with tf.GradientTape() as tape:
    masked = 3.0 * w + tf.where(tf.constant([True, True, False]), tf.constant(0.0, w.dtype), {hidden})
    logs = masked - tf.reduce_logsumexp(masked)
    loss = -tf.reduce_sum(tf.exp(logs) * logs)
gradient = tape.gradient(loss, w)
"""


@pytest.mark.parametrize(("dtype", "number"), [("float32", "-1e9"), ("float16", "-1e4")])
def test_the_infinity_that_a_mask_put_in_is_to_be_a_large_number_of_its_dtype(dtype: str, number: str) -> None:
    [found] = diagnose(run(ENTROPY.format(hidden="-np.inf", dtype=dtype), tf))
    assert found.cause == "nan_in_forward"
    assert found.fix == f"Mask with a large negative number, such as {number}, in place of minus infinity."


@pytest.mark.parametrize(("dtype", "number"), [("float32", "-1e9"), ("float16", "-1e4")])
def test_so_masked_it_is_healthy_and_no_target_is_seen_in_it(dtype: str, number: str) -> None:
    assert list(diagnose(run(ENTROPY.format(hidden=number, dtype=dtype), tf))) == []


@pytest.mark.torch
def test_a_mean_of_nothing_is_to_be_left_out() -> None:
    torch = pytest.importorskip("torch")
    program = """
net, x, y = torch.nn.Linear(2, 3), torch.ones(4, 2), torch.tensor([0, 0, 1, 1])
logits = net(x)
loss = sum(torch.nn.functional.cross_entropy(logits[y == c], y[y == c]) for c in range(3))
loss.backward()
"""
    [found, *_] = diagnose(run(program, torch))
    assert found.cause == "nan_in_forward"
    assert found.fix == "Leave the term out where there is nothing to read: the mean of no entries is NaN."
