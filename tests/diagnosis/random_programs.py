"""A seed -> a random healthy program in TensorFlow's spelling: every variable takes part in the loss."""

from __future__ import annotations

import random

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


def program(seed: int, more: tuple[str, ...] = ()) -> str:
    """A loop over some steps of training a random expression of three variables of three elements each.

    `more` are expressions of one tensor, which are drawn from as well.
    """
    choose = random.Random(seed)
    lines = [f"v{i} = tf.Variable({[round(choose.uniform(-1, 1), 2) for _ in range(3)]})" for i in range(3)]
    lines.append(f"for step in range({choose.randint(1, 3)}):")
    body = [f"with tf.GradientTape(persistent={choose.random() < 0.3}) as tape:"]
    names = ["v0", "v1", "v2"]
    for number in range(choose.randint(3, 14)):
        expression = choose.choice(UNARY + BINARY + more).format(choose.choice(names), choose.choice(names))
        body.append(f"    t{number} = {expression}")
        names.append(f"t{number}")
        if choose.random() < 0.3:
            body.append("    " + choose.choice(ASIDE).format(choose.choice(names)))
    body.append(f"    loss = tf.reduce_sum({' + '.join(['v0 * v0', 'v1', 'tf.exp(v2)', *choose.sample(names, 3)])})")
    body.append("for v, g in zip([v0, v1, v2], tape.gradient(loss, [v0, v1, v2])): v.assign_sub(0.01 * g)")
    return PREAMBLE + "\n".join(lines + ["    " + line for line in body]) + "\n"
