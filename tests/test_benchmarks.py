"""Every contestant of every program gives the gradients by hand; what recording costs in memory stays bounded."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import tapeviz as tv
from benchmarks import models, programs
from benchmarks.frameworks import CONTESTANTS, PERSISTENT, checked_step, framework, missing
from benchmarks.programs import PROGRAMS, Program, chain
from benchmarks.timing import interleaved, ratio

TINY: dict[str, Callable[[], Program]] = {
    "chain": partial(programs.chain, ops=6),
    "vector_chain": partial(programs.vector_chain, ops=6, size=3),
    "mlp": partial(programs.mlp, batch=4, sizes=(5, 4, 3, 2)),
    "fan_out": partial(programs.fan_out, uses=5),
    "matmuls": partial(programs.matmuls, count=3, size=2),
    "conv2d": partial(programs.conv2d, batch=2, size=5, filters=3),
    "second_derivative": partial(programs.second_derivative, ops=6),
}
MARKS = {"PyTorch": pytest.mark.torch, "TensorFlow": pytest.mark.tensorflow}


@pytest.fixture(autouse=True)
def defaults() -> Iterator[None]:
    """As they were, whatever a contestant has set."""
    yield
    tv.configure(values="kept", ring=4096)


def test_every_program_has_a_tiny_one() -> None:
    assert TINY.keys() == PROGRAMS.keys()


@pytest.mark.parametrize("program", TINY)
@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=MARKS.get(each.split(",")[0], ())) for each in (*CONTESTANTS, *PERSISTENT)]
)
def test_the_gradients_are_those_by_hand(name: str, program: str) -> None:
    if package := missing(name):
        pytest.skip(f"{package} is not installed")
    checked_step(name, TINY[program]())


def test_wrong_gradients_are_not_timed() -> None:
    longer = replace(programs.chain(ops=6), forward=programs.chain(ops=9).forward)
    with pytest.raises(AssertionError):
        checked_step("tapeviz", longer)


def test_the_slow_sit_out_most_rounds() -> None:
    timings = interleaved({"quick": lambda: 1.0, "slow": lambda: 1000.0}, rounds=40)
    assert len(timings["quick"]) == 40
    assert 5 <= len(timings["slow"]) < 10
    assert ratio(timings, "slow", "quick") == 1000


@pytest.mark.slow
def test_bytes_per_recorded_op_with_values_off() -> None:
    recorder = framework("tapeviz, values off").recorder
    recorder(chain(2_001))()
    tracemalloc.start()
    try:
        recordings = [recorder(chain(2_001))()]
        before = tracemalloc.get_traced_memory()[0]
        recordings.append(recorder(chain(9_999))())
        assert (tracemalloc.get_traced_memory()[0] - before) / 9_999 <= 300
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_nothing_leaks_over_a_thousand_steps() -> None:
    tv.configure(ring=64)
    x, labels = tv.constant(np.ones((4, 3), np.float32)), tv.constant([0, 1, 1, 0])
    w, b = tv.Variable(tv.zeros((3, 2))), tv.Variable(tv.zeros(2))

    def train(steps: int) -> None:
        for _ in range(steps):
            with tv.GradientTape() as tape:
                logits = tv.matmul(x, w) + b
                losses = tv.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
                loss = tv.reduce_mean(losses)
            for variable, gradient in zip((w, b), tape.gradient(loss, (w, b)), strict=True):
                variable.assign_sub(0.1 * gradient)

    tracemalloc.start()
    try:
        train(500)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        train(1_000)
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 16_000  # no object of Python's is smaller than 16 bytes
    finally:
        tracemalloc.stop()


@pytest.mark.tensorflow
@pytest.mark.parametrize("title", models.TABLE)
def test_models_compute_what_those_of_tensorflow_do(title: str) -> None:
    tf = pytest.importorskip("tensorflow")
    (ours, inputs), (theirs, _) = models.TABLE[title](tv), models.TABLE[title](tf)
    theirs(tf.constant(inputs))
    ours(tv.constant(inputs))
    ours.set_weights(theirs.get_weights())
    found = ours(tv.constant(inputs)).numpy()
    np.testing.assert_allclose(found, theirs(tf.constant(inputs)).numpy(), rtol=1e-3, atol=1e-4)


def test_a_training_step_learns() -> None:
    step = models.training_step(tv, models.mlp)
    losses = [float(step()) for _ in range(30)]
    assert losses[-1] < losses[0] / 2
