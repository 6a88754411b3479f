"""Sizes -> tapes that are drawn, in the shapes that make a picture large; `peer_programs` has the same in PyTorch."""

from __future__ import annotations

import numpy as np

import tapeviz as tf


def chain(rounds: int) -> tf.GradientTape:
    """Three ops a round."""
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape() as tape:
        y = x
        for _ in range(rounds):
            y = tf.sin(y)
            y = y * 1.01
            y = y + x
    tape.gradient(y, x)
    return tape


def transformer(blocks: int, width: int = 16, length: int = 8) -> tf.GradientTape:
    """34 ops a block; every block has weights of its own."""
    draw = np.random.default_rng(0)
    shapes = {"q": (width,) * 2, "k": (width,) * 2, "v": (width,) * 2, "o": (width,) * 2, "u": (width, 4 * width),
              "d": (4 * width, width), "scale": (width,), "shift": (width,)}  # fmt: skip
    weights = [
        {name: tf.Variable(draw.normal(0, 0.2, shape).astype(np.float32)) for name, shape in shapes.items()}
        for _ in range(blocks)
    ]

    def norm(x: tf.Tensor, w: dict[str, tf.Variable]) -> tf.Tensor:
        mean = tf.reduce_mean(x, axis=-1, keepdims=True)
        variance = tf.reduce_mean(tf.square(x - mean), axis=-1, keepdims=True)
        return (x - mean) / tf.sqrt(variance + 1e-5) * w["scale"] + w["shift"]

    def attention(x: tf.Tensor, w: dict[str, tf.Variable]) -> tf.Tensor:
        q, k, v = x @ w["q"], x @ w["k"], x @ w["v"]
        return tf.nn.softmax(q @ tf.transpose(k) / 4.0) @ v @ w["o"]

    def block(x: tf.Tensor, w: dict[str, tf.Variable]) -> tf.Tensor:
        x = x + attention(norm(x, w), w)
        return x + tf.nn.relu(norm(x, w) @ w["u"]) @ w["d"]

    x = tf.constant(draw.normal(size=(length, width)).astype(np.float32))
    with tf.GradientTape() as tape:
        h = x
        for w in weights:
            h = block(h, w)
        loss = tf.reduce_mean(tf.square(h))
    tape.gradient(loss, [each for w in weights for each in w.values()])
    return tape


def rnn(steps: int, width: int = 16, batch: int = 4) -> tf.GradientTape:
    """Five ops a step, and the same weights in each."""
    draw = np.random.default_rng(0)
    w, u, b = (
        tf.Variable(draw.normal(0, 0.3, shape).astype(np.float32)) for shape in ((8, width), (width, width), width)
    )
    inputs = [tf.constant(draw.normal(size=(batch, 8)).astype(np.float32)) for _ in range(steps)]

    def cell(x: tf.Tensor, state: tf.Tensor) -> tf.Tensor:
        return tf.tanh(x @ w + state @ u + b)

    with tf.GradientTape() as tape:
        state = tf.zeros((batch, width))
        for x in inputs:
            state = cell(x, state)
        loss = tf.reduce_mean(tf.square(state))
    tape.gradient(loss, [w, u, b])
    return tape
