"""Training steps of Keras models, the same code on tapeviz and on TensorFlow -> times side by side."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.table import table
from benchmarks.timing import Turn, interleaved, ratio, turn

BATCH = 32
CLASSES = 10

Made = tuple[Any, Any]
"""A model, and a batch of inputs for it."""


def _numbers(*shape: int) -> Any:
    return np.random.default_rng(0).standard_normal((BATCH, *shape), np.float32)


def mlp(tf: Any) -> Made:
    """100-64-10 with dropout."""
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Dense(64, activation="relu"), layers.Dropout(0.2), layers.Dense(CLASSES)])
    return model, _numbers(100)


def cnn(tf: Any) -> Made:
    """Two convolutions with pooling on pictures of 28x28."""
    layers = tf.keras.layers
    convolutions = [
        each for filters in (16, 32) for each in (layers.Conv2D(filters, 3, activation="relu"), layers.MaxPooling2D())
    ]
    return tf.keras.Sequential([*convolutions, layers.Flatten(), layers.Dense(CLASSES)]), _numbers(28, 28, 1)


def cnn_with_batch_normalization(tf: Any) -> Made:
    """A convolution, batch normalization and global pooling on colour pictures of 28x28."""
    layers = tf.keras.layers
    body = [layers.Conv2D(16, 3, padding="same"), layers.BatchNormalization(), layers.ReLU()]
    return tf.keras.Sequential([*body, layers.GlobalAveragePooling2D(), layers.Dense(CLASSES)]), _numbers(28, 28, 3)


def recurrent(layer: str, tf: Any) -> Made:
    """32 units over 30 steps."""
    layers = tf.keras.layers
    return tf.keras.Sequential([getattr(layers, layer)(32), layers.Dense(CLASSES)]), _numbers(30, 16)


def words(tf: Any) -> Made:
    """The mean of 50 embeddings."""
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Embedding(1000, 32), layers.GlobalAveragePooling1D(), layers.Dense(CLASSES)])
    return model, np.random.default_rng(0).integers(0, 1000, (BATCH, 50))


def transformer(tf: Any) -> Made:
    """A block of self-attention with 4 heads over 30 places of width 32."""
    layers = tf.keras.layers
    x = tf.keras.Input((30, 32))
    h = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 8)(x, x))
    h = layers.LayerNormalization()(h + layers.Dense(32)(layers.Dense(64, activation="gelu")(h)))
    return tf.keras.Model(x, layers.Dense(CLASSES)(layers.GlobalAveragePooling1D()(h))), _numbers(30, 32)


TABLE: dict[str, Callable[[Any], Made]] = {
    "MLP": mlp,
    "CNN": cnn,
    "CNN, batch normalization": cnn_with_batch_normalization,
    "simple RNN": partial(recurrent, "SimpleRNN"),
    "LSTM": partial(recurrent, "LSTM"),
    "GRU": partial(recurrent, "GRU"),
    "embeddings": words,
    "transformer block": transformer,
}


def report(rounds: int) -> str:
    """Every model of the table; without TensorFlow nothing to compare with."""
    if not find_spec("tensorflow"):
        return "\nmodels: TensorFlow is not here to compare with: pip install tensorflow-cpu"
    rows = [_row(title, make, rounds) for title, make in TABLE.items()]
    heads = ("ms", "values off", "TensorFlow", "tf.function", "to TensorFlow", "to tf.function")
    return table(f"models: a training step of Keras, batch {BATCH}, Adam, in turns", heads, rows)


def _row(title: str, make: Callable[[Any], Made], rounds: int) -> tuple[str, ...]:
    tv, tf = import_module("tapeviz"), import_module("tensorflow")
    ours, theirs = training_step(tv, make), training_step(tf, make)
    turns: dict[str, Turn] = {
        "tapeviz": partial(_with_values, "kept", ours),
        "values off": partial(_with_values, "none", ours),
        "TensorFlow": partial(turn, theirs),
        "tf.function": partial(turn, tf.function(theirs)),
    }
    timings = interleaved(turns, rounds=rounds)
    best = [f"{1e3 * min(seconds.values()):.2f}" for seconds in timings.values()]
    return title, *best, *(f"{ratio(timings, 'tapeviz', to):.2f}" for to in ("TensorFlow", "tf.function"))


def _with_values(values: str, step: Callable[[], Any]) -> float:
    tv = import_module("tapeviz")
    tv.configure(values=values)
    try:
        return turn(step)
    finally:
        tv.configure(values="kept")


def training_step(tf: Any, make: Callable[[Any], Made]) -> Callable[[], Any]:
    """Forward, backward and update of a new model; the loss is returned."""
    model, inputs = make(tf)
    x, y = tf.constant(inputs), tf.constant(np.arange(BATCH) % CLASSES)
    optimizer = tf.keras.optimizers.Adam()
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    return step
