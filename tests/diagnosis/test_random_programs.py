"""Random healthy programs: every variable takes part in the loss, and nothing above a hint may be said."""

from __future__ import annotations

import linecache
import random
from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tests.diagnosis import random_torch
from tests.diagnosis.programs import loud, run
from tests.recorders import jax_random

UNARY = (
    "tf.tanh({})",
    "tf.sin({})",
    "tf.square({})",
    "tf.nn.softplus({})",
    "tf.sigmoid({})",
    "tf.nn.relu({})",
    "-{}",
    "tf.nn.softmax({})",
    "tf.abs({})",
    "tf.sqrt(tf.square({}) + 0.1)",
    "tf.math.log(tf.exp({}) + 1.0)",
    "tf.reverse({}, [0])",
    "tf.concat([{0}[1:], {0}[:1]], 0)",
    "tf.gather({}, [2, 0, 1])",
    "tf.stack(tf.unstack({}))",
    "tf.reshape(tf.matmul(mix, tf.reshape({}, [3, 1])), [3])",
    "{0} - tf.reduce_mean({0}) * 0.5",
    "tf.cumsum({})",
    "tf.clip_by_value({}, -2.0, 2.0)",
    "cell({})",
    "tf.where({0} > 0.0, tf.sqrt(tf.where({0} > 0.0, {0}, 1.0)), {0})",
)
BINARY = (
    "{} + {}",
    "{} - {}",
    "{} * {}",
    "tf.maximum({}, {})",
    "{} / (1.0 + tf.square({}))",
    "tf.where({0} > 0.1, {0}, {1})",
    "tf.squeeze(tf.matmul(tf.stack([{}]), tf.stack([{}]), transpose_b=True)) * mix[0]",
    "{} * tf.reduce_max({})",
    "tf.minimum({}, tf.exp({}))",
)
ASIDE = (
    "print(tf.reduce_mean({}).numpy()) if False else None",
    "shown = tf.argmax({})",
    "seen = float(tf.reduce_max({}))",
    "frozen = tf.stop_gradient({}) * 2.0",
    "state.assign({})",
    "counted = tf.cast({}, tf.int32)",
    "history.append(tf.norm({}).numpy())",
    "total.assign_add(tf.reduce_sum({}))",
    "kept = tf.Variable({}, trainable=False)",
    "entries = {}.numpy().tolist()",
)
PREAMBLE = """\
mix = tf.constant([[0.5, 0.1, -0.2], [0.3, -0.4, 0.2], [0.1, 0.2, 0.6]])
state, total = tf.Variable([0.0, 0.0, 0.0], trainable=False), tf.Variable(0.0, trainable=False)
history = []
def cell(x):
    inner = tf.tanh(x * 0.5)
    return inner + x
"""


def program(seed: int) -> str:
    """A loop over some steps of training a random expression of three variables of three elements each."""
    choose = random.Random(seed)
    lines = [f"v{i} = tf.Variable({[round(choose.uniform(-1, 1), 2) for _ in range(3)]})" for i in range(3)]
    lines.append(f"for step in range({choose.randint(1, 3)}):")
    body = [f"with tf.GradientTape(persistent={choose.random() < 0.3}) as tape:"]
    names = ["v0", "v1", "v2"]
    for number in range(choose.randint(3, 14)):
        expression = choose.choice(UNARY + BINARY).format(choose.choice(names), choose.choice(names))
        body.append(f"    t{number} = {expression}")
        names.append(f"t{number}")
        if choose.random() < 0.3:
            body.append("    " + choose.choice(ASIDE).format(choose.choice(names)))
    body.append(f"    loss = tf.reduce_sum({' + '.join(['v0 * v0', 'v1', 'tf.exp(v2)', *choose.sample(names, 3)])})")
    body.append("for v, g in zip([v0, v1, v2], tape.gradient(loss, [v0, v1, v2])): v.assign_sub(0.01 * g)")
    return PREAMBLE + "\n".join(lines + ["    " + line for line in body]) + "\n"


@pytest.mark.parametrize("seed", range(300))
def test_a_random_healthy_program_is_silent(seed: int) -> None:
    text = program(seed)
    assert loud(run(text, tf)) == [], text


@pytest.mark.tensorflow
@pytest.mark.parametrize("seed", range(300))
def test_so_it_is_in_tensorflow(seed: int) -> None:
    import tensorflow

    text = program(seed)
    assert loud(run(text, tensorflow)) == [], text


@pytest.mark.torch
@pytest.mark.parametrize("seed", range(300))
def test_a_random_healthy_program_of_pytorch_is_silent(seed: int) -> None:
    torch = pytest.importorskip("torch")
    text = random_torch.program(seed)
    assert loud(run(text, torch)) == [], text


ALL_TAKE_PART = """
def healthy(x, w):
    return program(x, w) + jnp.sum(x ** 2) + jnp.sum(jnp.exp(w))
"""


@pytest.mark.jax
@pytest.mark.parametrize("seed", range(300))
def test_a_random_healthy_program_of_jax_is_silent(seed: int) -> None:
    jax = pytest.importorskip("jax")
    text, name = jax_random.program(seed)[0] + ALL_TAKE_PART, f"<jax program {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {}
    exec(compile(text, name, "exec"), space)
    numbers = np.random.default_rng(seed)
    x, w = (jax.numpy.asarray(numbers.normal(size=jax_random.SIZE), "float32") for _ in range(2))
    log = tf.record_jax(space["healthy"], x, w, argnums=(0, 1))
    assert loud(log) == [], text
