"""What a long recording takes of memory: its values stay within the budget, and the rest is little for each op."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from benchmarks.recorders import BYTES_PER_OP, held_after
from tapeviz.events import EventLog, OpRecorded
from tapeviz.events.raw import STRIDE, VALUES
from tapeviz.events.summary import Summary
from tapeviz.events.values import SMALL, HeldTensor

FRAMEWORKS = ("torch", "tensorflow")
STEPS = 400
LONG = 10_000


def cases(**makers: Callable[[Any], Callable[[], Any]]) -> list[Any]:
    """One for each package; it is skipped where its framework is not here."""
    return [
        pytest.param((package, make), id=package, marks=getattr(pytest.mark, package))
        for package, make in makers.items()
    ]


def held_by(log: EventLog) -> int:
    """The bytes of the values in a log, each counted once; small ones are beside the budget."""
    found: dict[int, int] = {}

    def look(entry: Any) -> None:
        if isinstance(entry, tuple):
            for each in entry:
                look(each)
        elif isinstance(entry, (np.ndarray, HeldTensor)) and (isinstance(entry, HeldTensor) or entry.nbytes > SMALL):
            found[id(entry)] = entry.nbytes

    for entry in log.records()[VALUES::STRIDE]:
        look(entry)
    return sum(found.values())


def steps_of_torch(torch: Any) -> Callable[[], None]:
    w, b = (torch.randn(shape, requires_grad=True) for shape in ((100, 50), (50,)))
    x = torch.randn(20, 100)

    def step() -> None:
        for g in torch.autograd.grad(torch.relu(x @ w + b).sum(), (w, b)):
            g.mul(0.1)

    return step


def steps_of_tensorflow(tf: Any) -> Callable[[], None]:
    w, b = tf.Variable(tf.random.normal((100, 50))), tf.Variable(tf.zeros(50))
    x = tf.random.normal((20, 100))

    def step() -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.relu(x @ w + b))
        for each, g in zip((w, b), tape.gradient(loss, (w, b)), strict=True):
            each.assign_sub(0.01 * g)

    return step


def steps_of_the_engine(tf: Any) -> Callable[[], None]:
    """Gradients are passed on, summed up and stored, so that one array is in several records."""
    w, b = tf.Variable(np.ones((100, 50), np.float32)), tf.Variable(np.zeros(50, np.float32))
    x, momenta = tf.constant(np.ones((20, 100), np.float32)), [tf.Variable(tf.zeros_like(each)) for each in (w, b)]

    def step() -> None:
        with tf.GradientTape() as tape:
            h = x @ w + b
            loss = tf.reduce_sum(tf.nn.relu(h + h))
        for each, momentum, g in zip((w, b), momenta, tape.gradient(loss, (w, b)), strict=True):
            momentum.assign(0.9 * momentum + g)
            each.assign_sub(0.01 * momentum)

    return step


ON_THE_ENGINE = pytest.param(("tests.engine.names", steps_of_the_engine), id="tapeviz")


@pytest.fixture(params=[ON_THE_ENGINE, *cases(torch=steps_of_torch, tensorflow=steps_of_tensorflow)])
def step(request: pytest.FixtureRequest) -> Callable[[], None]:
    package, make = request.param
    return make(pytest.importorskip(package))


def test_values_stay_within_the_budget(step: Callable[[], None]) -> None:
    """However many records an array is in, and however long the loop; small values do not crowd out the large."""
    with tv.record():
        step()
    with tv.record(max_bytes=200_000) as log:
        recorded = held_after(step, STEPS)
        ops = sum(type(kind) is str for kind in log.records()[::STRIDE])
        assert log.bytes <= 200_000
        assert held_by(log) <= 200_000
    assert (recorded - held_after(step, STEPS)) / ops < BYTES_PER_OP
    kept = [log.value(event.outputs[0]) for event in log.events if isinstance(event, OpRecorded)]
    assert isinstance(kept[-2], np.ndarray)
    assert any(isinstance(value, Summary) for value in kept)


def pass_of_torch(torch: Any) -> Callable[[], Any]:
    w = torch.full((16, 16), 0.1, requires_grad=True)

    def run() -> Any:
        x = torch.ones(4, 16)
        for _ in range(LONG // 2):
            x = torch.tanh(x @ w)
        return x

    return run


def pass_of_tensorflow(tf: Any) -> Callable[[], Any]:
    w = tf.Variable(tf.fill((16, 16), 0.1))

    def run() -> Any:
        x = tf.ones((4, 16))
        with tf.GradientTape() as tape:
            for _ in range(LONG // 2):
                x = tf.tanh(x @ w)
        return x, tape

    return run


@pytest.mark.parametrize("of", cases(torch=pass_of_torch, tensorflow=pass_of_tensorflow))
def test_a_long_forward_pass_takes_little(of: tuple[str, Callable[[Any], Callable[[], Any]]]) -> None:
    """Its tensors are all alive, and the recorder knows each of them."""
    package, make = of
    run = make(pytest.importorskip(package))
    with tv.record():
        run()
    with tv.record(max_bytes=0) as log:
        recorded = held_after(run, 1)
        assert log.end >= LONG * STRIDE
    assert (recorded - held_after(run, 1)) / LONG < BYTES_PER_OP


FIRST = """
import gc, sys, weakref
from importlib import import_module
import tapeviz as tv

framework = import_module(sys.argv[1])

def log_of_a_step():
    with tv.record() as log:
        if sys.argv[1] == "torch":
            w = framework.ones(2, requires_grad=True)
            (w * w).sum().backward()
        else:
            w = framework.Variable([1.0, 2.0])
            with framework.GradientTape() as tape:
                loss = framework.reduce_sum(w * w)
            tape.gradient(loss, w)
    assert [each.op for each in log.events if hasattr(each, "saved")] == ["mul", "reduce_sum"]
    return weakref.ref(log)

logs = [log_of_a_step(), log_of_a_step()]
gc.collect()
print([each() for each in logs])
"""


@pytest.mark.slow
@pytest.mark.parametrize("package", [pytest.param(each, marks=getattr(pytest.mark, each)) for each in FRAMEWORKS])
def test_nothing_outlives_the_first_log_of_a_program(package: str) -> None:
    """What a framework remembers from its first use on, as its list of its own functions, is nothing of a recording."""
    pytest.importorskip(package)
    environment = os.environ | {"PYTHONPATH": str(Path(tv.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", FIRST, package], env=environment, capture_output=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode().strip() == "[None, None]"
