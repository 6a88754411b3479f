"""Steps that TensorFlow has compiled -> how many times as long they take recorded, as they are and opened.

All are compiled before anything is timed. What is inside of them is computed when a reader asks, which has a column of
its own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from time import perf_counter
from typing import Any, NamedTuple

import tapeviz as tv
from benchmarks.table import table
from benchmarks.timing import Turn, interleaved, ratio, turn

Work = Callable[[], object]


class Row(NamedTuple):
    """Work of so many steps."""

    title: str
    make: Callable[[], Work]
    steps: int


def train_step(times: int) -> Work:
    """Steps of a `tf.function` that trains an MLP 784-256-256-10 on a batch of 64."""
    tf: Any = import_module("tensorflow")
    model, optimizer = _model(tf), tf.keras.optimizers.SGD(0.01)
    x, labels = tf.random.normal((64, 784)), tf.random.uniform((64,), 0, 10, tf.int32)

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            logits = model(x)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        optimizer.apply_gradients(
            zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
        )
        return loss

    def work() -> None:
        for _ in range(times):
            step()

    return work


def fit(steps: int, together: int = 1) -> Work:
    """An epoch of Keras' `fit` of the same model, some steps of which are one call."""
    tf: Any = import_module("tensorflow")
    model = _model(tf)
    model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), steps_per_execution=together)
    x, labels = tf.random.normal((64 * steps, 784)), tf.random.uniform((64 * steps,), 0, 10, tf.int32)
    return partial(model.fit, x, labels, batch_size=64, verbose=0)


def _model(tf: Any) -> Any:
    layers = tf.keras.layers
    hidden = [layers.Dense(256, activation="relu") for _ in range(2)]
    return tf.keras.Sequential([layers.Input((784,)), *hidden, layers.Dense(10)])


ROWS = (
    Row("train step, MLP 784-256-256-10", partial(train_step, 20), 20),
    Row("`fit` of the same model", partial(fit, 20), 20),
    Row("`fit`, 5 steps per execution", partial(fit, 20, 5), 20),
)
MODES: dict[str, dict[str, Any]] = {
    "recorded": {},
    "norms": {"values": "norms"},
    "opened": {"functions": "eager"},
}
"""How a column is called -> the options of `record`."""


def report(rounds: int) -> str:
    """Every row, in every mode."""
    heads = ("ms plain", *MODES, "read")
    return table("TensorFlow, compiled: times as long as plain, in turns", heads, [_row(each, rounds) for each in ROWS])


def _row(row: Row, rounds: int) -> tuple[str, ...]:
    work = row.make()
    turns: dict[str, Turn] = {"plain": partial(turn, work)}
    turns |= {name: partial(_recorded, work, options) for name, options in MODES.items()}
    turns["read"] = partial(_read, work)
    timings = interleaved(turns, rounds=rounds)
    plain = 1e3 * min(timings["plain"].values()) / row.steps
    return row.title, f"{plain:.2f}", *(f"{ratio(timings, name, 'plain'):.2f}" for name in turns if name != "plain")


def _recorded(work: Work, options: dict[str, Any]) -> float:
    with tv.record(**options):
        return turn(work)


def _read(work: Work) -> float:
    """The seconds in which the log of the work is first read."""
    with tv.record() as log:
        work()
    begin = perf_counter()
    len(log.events)
    return perf_counter() - begin
