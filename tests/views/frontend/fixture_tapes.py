"""The payloads in `fixtures/`, which the tests in Node read; run as a program, it writes them anew."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from tapeviz.views.payload import payload
from tests.engine import names as tf

FOLDER = Path(__file__).with_name("fixtures")


def cube() -> tf.GradientTape:
    """y = x * x * x at 3, and its gradient."""
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape() as tape:
        y = x * x * x
    tape.gradient(y, x)
    return tape


def mlp() -> tf.GradientTape:
    """Two layers; the first is cut off by `.numpy()`, so that its weights get None."""
    x = tf.constant(np.linspace(-1, 1.5, 12).reshape(4, 3).astype(np.float32))
    labels = tf.constant(np.linspace(0, 1, 8).reshape(4, 2).astype(np.float32))
    w1, b1 = (
        tf.Variable(np.linspace(-1, 1.5, 24).reshape(3, 8).astype(np.float32), name="w1"),
        tf.Variable([0.1] * 8, name="b1"),
    )
    w2, b2 = (
        tf.Variable(np.linspace(1, -1.5, 16).reshape(8, 2).astype(np.float32), name="w2"),
        tf.Variable([0.1] * 2, name="b2"),
    )
    with tf.GradientTape() as tape:
        h = tf.nn.relu(x @ w1 + b1)
        h = tf.constant(h.numpy())
        logits = h @ w2 + b2
        loss = tf.reduce_mean(tf.square(logits - labels))
    tape.gradient(loss, [w1, b1, w2, b2])
    return tape


TAPES = {"cube": cube, "mlp": mlp}


def written(name: str) -> str:
    """The text of one fixture."""
    return json.dumps(payload(TAPES[name](), sources=False), ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    for name in TAPES:
        (FOLDER / f"{name}.json").write_text(written(name), encoding="utf-8")
