"""Training steps of real frameworks, plain and recorded -> how many times as long they take, and bytes per op."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import tapeviz as tv
from benchmarks import compiled_steps, recorded_steps, torch_steps
from benchmarks.table import table
from benchmarks.timing import Turn, interleaved, ratio, turn
from tapeviz.events.raw import KIND, STRIDE

STEPS = 10
"""Steps in one turn: in a long recording the oldest values give way to the newest."""
TURNS = 20
"""Turns in the recording whose memory is measured."""
BYTES_PER_OP = 400
"""How many bytes an op of a long training may take, with its step back, beside the values that the budget counts."""

Work = Callable[[], None]


@dataclass(frozen=True)
class Step:
    """A training step; `limits` are how many times as long it may take: recorded, and recorded with values off."""

    title: str
    package: str
    make: Callable[[], Work]
    limits: tuple[float, float]


def tensorflow_mlp() -> Work:
    """784-256-256-10 on a batch of 64: forward, backward, update."""
    tf: Any = import_module("tensorflow")
    tf.random.set_seed(0)
    x, labels = tf.random.normal((64, 784)), tf.random.uniform((64,), 0, 10, tf.int32)
    sizes = (784, 256, 256, 10)
    kernels = [tf.Variable(tf.random.normal(shape, stddev=0.05)) for shape in pairwise(sizes)]
    biases = [tf.Variable(tf.zeros(size)) for size in sizes[1:]]
    variables = kernels + biases

    def step() -> None:
        with tf.GradientTape() as tape:
            h = x
            for kernel, bias in zip(kernels[:-1], biases[:-1], strict=True):
                h = tf.nn.relu(h @ kernel + bias)
            logits = h @ kernels[-1] + biases[-1]
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(0.01 * gradient)

    return step


TABLE = (
    Step("TensorFlow, MLP 784-256-256-10, batch 64", "tensorflow", tensorflow_mlp, (2.0, 1.5)),
    Step("PyTorch, transformer of 2 blocks", "torch", lambda: torch_steps.transformer().step, (2.5, 1.6)),
    Step("PyTorch, MLP of 100 ops", "torch", lambda: torch_steps.mlp().step, (3.2, 2.3)),
)


def report(rounds: int) -> str:
    """Every step of the table whose framework is here."""
    rows = [_row(each, rounds) for each in TABLE if find_spec(each.package)]
    heads = ("ms plain", "recorded", "limit", "values off", "limit", "bytes per op", "limit")
    steps = recorded_steps.report(rounds) if find_spec("torch") else ""
    steps += "\n" + jax_layers(rounds) if find_spec("jax") else ""
    steps += "\n" + compiled_steps.report(rounds) if find_spec("tensorflow") else ""
    return table("recorders: times as long as plain, in turns", heads, rows) + "\n" + steps


def jax_layers(rounds: int) -> str:
    """`record_jax` of 50 layers beside `jax.grad`, which runs op by op as well."""
    jax: Any = import_module("jax")
    weights, x = [jax.numpy.eye(32) * 0.9] * 50, jax.numpy.ones((8, 32))

    def loss(weights: Any, x: Any) -> Any:
        for w in weights:
            x = jax.numpy.tanh(x @ w)
        return (x**2).sum()

    turns: dict[str, Turn] = {
        "plain": partial(turn, lambda: jax.block_until_ready(jax.grad(loss)(weights, x))),
        "recorded": partial(turn, lambda: tv.record_jax(loss, weights, x)),
    }
    times = ratio(interleaved(turns, rounds=rounds), "recorded", "plain")
    return f"record_jax of 50 layers, times as long as jax.grad: {times:.2f} [1.0]"


def _row(each: Step, rounds: int) -> tuple[str, ...]:
    work = partial(_several, each.make())
    turns: dict[str, Turn] = {
        "plain": partial(turn, work),
        "recorded": partial(_recorded, work, "kept"),
        "values off": partial(_recorded, work, "none"),
    }
    timings = interleaved(turns, rounds=rounds)
    plain = 1e3 * min(timings["plain"].values()) / STEPS
    kept, off = (f"{ratio(timings, name, 'plain'):.2f}" for name in ("recorded", "values off"))
    return (
        *(each.title, f"{plain:.2f}", kept, f"{each.limits[0]:.1f}", off, f"{each.limits[1]:.1f}"),
        *(f"{bytes_per_op(work):.0f}", f"{BYTES_PER_OP}"),
    )


def _several(step: Work) -> None:
    for _ in range(STEPS):
        step()


def _recorded(work: Work, values: str) -> float:
    with tv.record(values=values):
        return turn(work)


def bytes_per_op(work: Work) -> float:
    """What Python holds for each op of a long training, over what the same work leaves behind when nothing records it.

    With the op are its step back, and its share of the gradients stored and of the variables written. The budget is
    empty: of each value that is not small there are statistics.
    """
    _recorded(work, "kept")
    with tv.record(max_bytes=0) as log:
        recorded = held_after(work)
        ops = sum(type(kind) is str for kind in log.records()[KIND::STRIDE])
    return (recorded - held_after(work)) / ops


def held_after(work: Callable[[], Any], turns: int = TURNS) -> int:
    """The bytes that Python holds more after some turns than before, the last one's result included."""
    gc.collect()
    tracemalloc.start()
    for _ in range(turns):
        last = work()
    gc.collect()
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del last
    return held
