"""Programs of about as many ops as one asks for, in the shapes that make a diagnosis work hard."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import tapeviz as tf
from tapeviz.events import EventLog


def chain_read_out_at_its_end(ops: int) -> EventLog:
    """Every tenth op reads a variable of its own; the end is read out, so that each of them gets None."""
    weights = [tf.Variable(1.0) for _ in range(ops // 10)]
    with tf.record() as log:
        with tf.GradientTape() as tape:
            h = tf.constant(0.5)
            for step in range(ops // 2):
                h = tf.sin(h * weights[step % len(weights)])
            loss = tf.constant(np.exp(h.numpy())) * 2.0
        tape.gradient(loss, weights)
    return log


def weights_of_their_own(ops: int) -> EventLog:
    """A chain that reads each of many variables once."""
    weights = [tf.Variable(1.0) for _ in range(ops // 2)]
    with tf.GradientTape() as tape:
        h = tf.constant(0.5)
        for w in weights:
            h = tf.sin(h * w)
    tape.gradient(h, weights)
    return tape.log


def recurrence(ops: int) -> EventLog:
    """Three variables that every step reads."""
    wx, wh, b = tf.Variable(tf.ones((8, 8)) * 0.05), tf.Variable(tf.ones((8, 8)) * 0.05), tf.Variable(tf.zeros(8))
    x = tf.ones((4, 8))
    with tf.GradientTape() as tape:
        h = tf.zeros((4, 8))
        for _ in range(ops // 5):
            h = tf.tanh(tf.matmul(x, wx) + tf.matmul(h, wh) + b)
        loss = tf.reduce_sum(h)
    tape.gradient(loss, [wx, wh, b])
    return tape.log


def transformer(ops: int) -> EventLog:
    """Blocks of attention, normalisation and two layers, with residuals."""
    tf.random.set_seed(0)
    blocks = [[tf.Variable(tf.random.normal((8, 8)) * 0.2) for _ in range(6)] for _ in range(max(ops // 30, 1))]
    with tf.GradientTape() as tape:
        x = tf.ones((6, 8)) * 0.1
        for q, k, v, o, up, down in blocks:
            scores = tf.matmul(tf.matmul(x, q), tf.matmul(x, k), transpose_b=True)
            x = x + tf.matmul(tf.matmul(tf.nn.softmax(scores * 0.3), tf.matmul(x, v)), o)
            centred = x - tf.reduce_mean(x, axis=-1, keepdims=True)
            x = centred / tf.sqrt(tf.reduce_mean(tf.square(centred), axis=-1, keepdims=True) + 1e-5)
            x = x + tf.matmul(tf.nn.relu(tf.matmul(x, up)), down)
        loss = tf.reduce_sum(x)
    tape.gradient(loss, [each for block in blocks for each in block])
    return tape.log


def wide_fan_out(ops: int) -> EventLog:
    """One variable that a third of all ops read."""
    w = tf.Variable(tf.ones(4))
    with tf.GradientTape() as tape:
        loss = tf.add_n([tf.reduce_sum(tf.sin(w * float(each))) for each in range(ops // 3)])
    tape.gradient(loss, w)
    return tape.log


def many_zeros(ops: int) -> EventLog:
    """A rectifier that is off for each of many variables."""
    weights = [tf.Variable(-tf.ones(4)) for _ in range(ops // 10)]
    with tf.GradientTape() as tape:
        terms = [tf.reduce_sum(tf.nn.relu(w * float(1 + at % 7)) * 2.0) for at, w in enumerate(weights * 2)]
        loss = tf.add_n(terms)
    tape.gradient(loss, weights)
    return tape.log


def many_infinities(ops: int) -> EventLog:
    """A root at zero for each of many variables."""
    weights = [tf.Variable(tf.zeros(4)) for _ in range(ops // 7)]
    with tf.GradientTape() as tape:
        loss = tf.constant(0.0)
        for w in weights:
            loss = loss + tf.reduce_sum(tf.sqrt(w * 1.0) * 2.0 + 1.0) * 0.5
    tape.gradient(loss, weights)
    return tape.log


def many_targets_by_many_sources(ops: int) -> EventLog:
    """A gradient call for each of many targets, each by many sources, half of which are not used."""
    size = int((ops / 6) ** 0.5)
    weights = [tf.Variable(float(each)) for each in range(2 * size)]
    with tf.record() as log:
        with tf.GradientTape(persistent=True) as tape:
            start = tf.add_n([w * 2.0 for w in weights[:size]])
            targets = []
            for _ in range(size):
                x = start
                for _ in range(3 * size):
                    x = tf.sin(x) * 1.01
                targets.append(x)
        for target in targets:
            tape.gradient(target, weights)
    return log


def training_loop(ops: int) -> EventLog:
    """Many steps, each with its tape and its writes."""
    w, b = tf.Variable(tf.ones((4, 1)) * 0.1), tf.Variable(0.0)
    x, y = tf.ones((8, 4)), tf.ones((8, 1))
    with tf.record() as log:
        for _ in range(ops // 6):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
            for variable, gradient in zip([w, b], tape.gradient(loss, [w, b]), strict=True):
                variable.assign_sub(0.1 * gradient)
    return log


def unused_and_read_out(ops: int) -> EventLog:
    """A chain of which every fiftieth value is read out into a factor of the loss; half of the variables are unused."""
    used, unused = ([tf.Variable(1.0) for _ in range(ops // 20)] for _ in range(2))
    with tf.record() as log:
        with tf.GradientTape() as tape:
            h, seen = tf.constant(0.5), []
            for step in range(ops // 2):
                h = tf.sin(h * used[step % len(used)])
                if step % 50 == 0:
                    seen.append(float(h))
            loss = h * tf.constant(np.float32(np.mean(seen)))
            for each in unused:
                each * 3.0
        tape.gradient(loss, used + unused)
    return log


LARGE: list[Callable[[int], EventLog]] = [
    chain_read_out_at_its_end,
    weights_of_their_own,
    recurrence,
    transformer,
    wide_fan_out,
    many_zeros,
    many_infinities,
    many_targets_by_many_sources,
    training_loop,
    unused_and_read_out,
]
