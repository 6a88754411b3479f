"""A number that is added to every row in front of a batch normalization gets the sum of gradients that cancel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.diagnosis import Answer
from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.why import why

ROUNDED = "It is zero but for rounding: the gradients of the {} rows that `{}` is added to cancel. {}"


@pytest.mark.torch
@pytest.mark.parametrize("kind", ["linear", "conv"])
def test_a_bias_in_front_of_a_batch_normalization_of_pytorch(kind: str) -> None:
    import torch

    torch.manual_seed(0)
    inner: Any = torch.nn.Linear(4, 3) if kind == "linear" else torch.nn.Conv2d(4, 3, 2)
    norm: Any = torch.nn.BatchNorm1d(3) if kind == "linear" else torch.nn.BatchNorm2d(3)
    x = torch.randn(8, 4) if kind == "linear" else torch.randn(2, 4, 3, 3)
    with tf.record() as log:
        loss = torch.tanh(norm(inner(x))).pow(3).mean()
        loss.backward()
    answer = why(log, loss, inner.bias)
    assert isinstance(answer, Answer)
    assert ROUNDED.format(8, "inner.bias", "`batch_norm` at ") in answer.message
    assert "takes the mean away, and with it what was added to every row" in answer.message
    assert "rounding" not in str(why(log, loss, norm.bias))


@pytest.mark.torch
@pytest.mark.parametrize("fused", [False, True])
def test_a_bias_of_keys_ahead_of_a_softmax(fused: bool) -> None:
    """A query times it is the same for each key; a bias of queries, or of values, is not compared."""
    import torch

    torch.manual_seed(0)
    query, key, value = (torch.nn.Linear(8, 8) for _ in range(3))
    x = torch.randn(2, 5, 8)
    with tf.record() as log:
        q, k, v = (layer(x).view(2, 5, 2, 4).transpose(1, 2) for layer in (query, key, value))
        if fused:
            attended = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        else:
            scores = (q @ k.transpose(-2, -1) / 2.0).masked_fill(torch.ones(5, 5).triu(1) > 0, float("-inf"))
            attended = torch.softmax(scores, dim=-1) @ v
        loss = attended.pow(3).mean()
        loss.backward()
    answer = why(log, loss, key.bias)
    assert isinstance(answer, Answer)
    assert ROUNDED.format(10, "key.bias", f"`{'attention' if fused else 'softmax'}` at ") in answer.message
    assert "compares scores: what is added to all that it compares, as this is, has no effect" in answer.message
    assert not any("rounding" in str(why(log, loss, each.bias)) for each in (query, value))


def test_a_sum_that_cancels_to_the_last_digit_is_told_of_at_the_op_that_adds() -> None:
    b = tf.Variable([0.5, 1.0], name="b")
    with tf.GradientTape() as tape:
        z = tf.constant([[1.0, 2.0], [3.0, 4.0], [2.0, 3.0]]) + b
        loss = tf.reduce_sum((z - tf.reduce_mean(z, 0)) ** 3)
    assert np.asarray(tape.gradient(loss, b)).tolist() == [0.0, 0.0]
    (hint,) = diagnose(tape)
    assert (hint.cause, hint.severity, hint.symptom) == ("constant_by_construction", "hint", "zero")
    assert "`add` at" in hint.message
    assert "adds one operand to 3 rows, whose gradients cancel" in hint.message


def test_of_some_entries_that_cancel_each_has_that_for_its_reason() -> None:
    b, x = tf.Variable([0.5, 1.0], name="b"), tf.constant([[1.0, 2.0], [-1.0, 1.0]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(x * (x + b))
    tape.gradient(loss, b)
    assert "1 of its 2 entries is zero: [0] (what arrives at `add`" in str(why(tape, loss, b))
    assert "from all its rows cancels" in str(why(tape, loss, b))
