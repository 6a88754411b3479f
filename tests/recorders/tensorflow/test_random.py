"""Random programs: recorded they give the same bits, every step adds up, and a healthy one is not complained of."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz import replay
from tapeviz.events import EventLog
from tests.seeds import each_seed

pytestmark = pytest.mark.tensorflow

OPS: tuple[Callable[[Any, Any, Any], Any], ...] = (
    lambda tf, x, y: x + y,
    lambda tf, x, y: x * y,
    lambda tf, x, y: x - 0.5 * y,
    lambda tf, x, y: tf.tanh(x) + y,
    lambda tf, x, y: tf.nn.softplus(x),
    lambda tf, x, y: tf.sin(x) * tf.cos(y),
    lambda tf, x, y: x / (1.5 + tf.square(y)),
    lambda tf, x, y: tf.matmul(x, y, transpose_b=True) @ y,
    lambda tf, x, y: tf.nn.softmax(x) * y,
    lambda tf, x, y: tf.concat([x[:1], y[1:]], axis=0),
    lambda tf, x, y: tf.transpose(tf.reshape(x, [4, 3])) + tf.reduce_mean(y, axis=0),
    lambda tf, x, y: tf.where(x > y, x * 1.5, y),
    lambda tf, x, y: tf.add_n([x, y, x]),
    lambda tf, x, y: tf.stack(tf.unstack(x, axis=1), axis=1) + tf.cumsum(y, axis=1),
    lambda tf, x, y: tf.gather(x, [2, 0, 1]) + y,
    lambda tf, x, y: tf.math.reduce_logsumexp(x, axis=1, keepdims=True) + y,
    lambda tf, x, y: x + tf.stop_gradient(tf.round(y) - y),
)
"""Of two tensors of shape (3, 4) another one, smooth enough to be healthy."""


def program(tf: Any, seed: int) -> list[Any]:
    chosen = random.Random(seed)
    numbers = np.random.default_rng(seed)
    variables = [tf.Variable(numbers.normal(size=(3, 4)).astype(np.float32)) for _ in range(3)]
    with tf.GradientTape(persistent=chosen.random() < 0.3) as tape:
        values = [variable * 1.0 for variable in variables]
        for _ in range(chosen.randint(4, 14)):
            op = chosen.choice(OPS)
            values.append(op(tf, chosen.choice(values), chosen.choice(values[-3:])))
        loss = tf.reduce_mean(tf.add_n([tf.tanh(value) for value in values]))
    return [loss, *tape.gradient(loss, variables)]


def recorded(tf: Any, seed: int) -> tuple[list[Any], EventLog]:
    with tv.record() as log:
        results = program(tf, seed)
    return results, log


@each_seed
def test_random_programs_do_the_same_when_they_are_recorded(seed: int) -> None:
    import tensorflow as tf

    plain = program(tf, seed)
    results, log = recorded(tf, seed)
    assert [each.numpy().tobytes() for each in results] == [each.numpy().tobytes() for each in plain], seed
    assert [str(each) for each in tv.diagnose(log) if each.severity != "hint"] == [], seed
    [run] = replay.runs(log)
    assert run.gradients is not None
    for source, gradient, expected in zip(run.sources, run.gradients, plain[1:], strict=True):
        parts = [p for step in run.steps for p in step.contributions if p.tensor == source]
        total = sum(log.value(part.cotangent) for part in parts)
        np.testing.assert_allclose(total, expected.numpy(), rtol=1e-4, atol=1e-6)
        np.testing.assert_array_equal(log.value(gradient), expected.numpy())
    arrived = {run.targets[0]: run.seeds[0]}
    for step in run.steps:
        op = log.events[step.op]
        assert step.upstream == tuple(arrived.get(output) for output in op.outputs)
        arrived |= {part.tensor: part.total for part in step.contributions}
