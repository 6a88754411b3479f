"""A length -> the log of a chain of so many ops, to time comparisons of."""

from __future__ import annotations

import tapeviz as tf
from tapeviz.events import EventLog


def chain(length: int, extra: int) -> EventLog:
    """The chain; at the step `extra` it has one op more."""
    w = tf.Variable(0.5, name="w")
    with tf.GradientTape() as tape:
        h = w * 1.0
        for step in range(length):
            h = tf.sin(h) if step != extra else tf.sin(h) * 2.0
    tape.gradient(h, w)
    return tape.log
