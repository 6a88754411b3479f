"""A log of norms has, of each value, the statistics of what a log of values has."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.events import EventLog, OpRecorded
from tapeviz.events.raw import STRIDE, VALUES
from tapeviz.events.summary import Packed, Summary, summary_of
from tapeviz.events.values import SMALL, HeldTensor, bytes_of
from tests.engine.names import math

ROWS = np.random.RandomState(0).normal(size=(20, 30)).astype(np.float32)
WEIGHTS = np.random.RandomState(1).normal(size=(30, 40)).astype(np.float32)


def of_engine(tf: Any = tv) -> None:
    w = tf.Variable(WEIGHTS)
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.tanh(tf.constant(ROWS) @ w)))
        w.assign_sub(0.1 * tape.gradient(loss, w))


def of_tensorflow() -> None:
    of_engine(pytest.importorskip("tensorflow"))


def of_torch() -> None:
    torch = pytest.importorskip("torch")
    w, x = torch.nn.Parameter(torch.tensor(WEIGHTS)), torch.tensor(ROWS)
    optimizer = torch.optim.SGD([w], 0.1)
    for _ in range(2):
        optimizer.zero_grad()
        h = torch.tanh(x @ w)
        h.square().mean().backward()
        optimizer.step()


def of_jax() -> None:
    jax = pytest.importorskip("jax")
    jax.grad(lambda w: (jax.numpy.tanh(ROWS @ w) ** 2).mean())(jax.numpy.asarray(WEIGHTS))


def of_autograd() -> None:
    grad = pytest.importorskip("autograd").grad
    numpy = pytest.importorskip("autograd.numpy")
    grad(lambda w: numpy.mean(numpy.tanh(numpy.dot(ROWS, w)) ** 2))(WEIGHTS)


def of_tinygrad() -> None:
    os.environ.setdefault("DEV", "PYTHON")
    tensor = pytest.importorskip("tinygrad").Tensor
    w = tensor(WEIGHTS)
    (tensor(ROWS) @ w).tanh().square().mean().gradient(w)[0].numpy()


PROGRAMS = [
    pytest.param(of_engine, id="engine"),
    *(
        pytest.param(each, id=name, marks=getattr(pytest.mark, name))
        for each in (of_tensorflow, of_torch, of_jax, of_autograd, of_tinygrad)
        for name in (each.__name__.removeprefix("of_"),)
    ),
]


def recorded(program: Callable[[], None], **options: Any) -> EventLog:
    with tv.record(**options) as log:
        program()
    return log


def held_in(entry: Any) -> list[Any]:
    """The values in an entry of a record."""
    return [held for each in entry for held in held_in(each)] if isinstance(entry, (tuple, list)) else [entry]


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_value_has_the_statistics_of_its_elements(program: Callable[[], None]) -> None:
    kept, norms = recorded(program, values="kept"), recorded(program, values="norms")
    assert [type(each) for each in norms.events] == [type(each) for each in kept.events]
    looked = 0
    for tensor in range(len(kept.tensors)):
        for (at, whole), (_, left) in zip(kept.versions(tensor), norms.versions(tensor), strict=True):
            value, said = kept.value(tensor, at), norms.value(tensor, at)
            if value is None:
                continue
            assert repr(summary_of(said)) == repr(summary_of(value)), (tensor, whole, left)
            looked += 1
    assert looked > 10


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_elements_stay_but_those_of_small_values(program: Callable[[], None]) -> None:
    log = recorded(program, values="norms")
    values = [held for entry in log.records()[VALUES::STRIDE] for held in held_in(entry)]
    assert not any(isinstance(each, HeldTensor) for each in values)
    assert not any(isinstance(each, np.ndarray) and each.nbytes > SMALL for each in values)
    assert any(type(each) is Packed for each in values)
    assert log.bytes == 0


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_small_budget_makes_it_settle_more_often_and_keeps_the_same(program: Callable[[], None]) -> None:
    kept, little = recorded(program, values="norms"), recorded(program, values="norms", max_bytes=3000)
    for tensor in range(len(kept.tensors)):
        assert repr(kept.value(tensor)) == repr(little.value(tensor))


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_is_read_alike_after_save_and_load(program: Callable[[], None], tmp_path: Any) -> None:
    log = recorded(program, values="norms")
    loaded = tv.load(tv.save(log, tmp_path / "log.tape"))
    assert [repr(loaded.value(each)) for each in range(len(loaded.tensors))] == [
        repr(log.value(each)) for each in range(len(log.tensors))
    ]
    assert str(tv.diagnose(loaded)) == str(tv.diagnose(log))


FAULTY: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "undefined": (lambda x: tv.sqrt(x * -1.0), lambda x: tv.sqrt(x * 1.0)),
    "edge": (lambda x: tv.sqrt(x - 2.0), lambda x: tv.sqrt(x - 1.0)),
    "pole": (lambda x: math.log(x - 2.0), lambda x: math.log(x - 1.0)),
    "overflow": (lambda x: tv.exp(x * 500.0), lambda x: tv.exp(x * 5.0)),
}
"""A program whose gradient is not finite, and its repair."""


def taken(function: Callable[[Any], Any], **options: Any) -> EventLog:
    """The gradient of its sum at a matrix of twos."""
    x = tv.Variable(np.full((30, 30), 2.0), name="x")
    with tv.record(**options) as log:
        with tv.GradientTape() as tape:
            loss = tv.reduce_sum(function(x))
        tape.gradient(loss, x)
    return log


@pytest.mark.parametrize("name", FAULTY)
def test_a_finding_is_built_on_the_statistics_and_a_healthy_program_has_none(name: str) -> None:
    faulty, healthy = FAULTY[name]
    found = tv.diagnose(taken(faulty, values="norms"))
    assert [each.cause for each in found] == [each.cause for each in tv.diagnose(taken(faulty, values="kept"))]
    assert found
    assert not tv.diagnose(taken(healthy, values="norms"))


def test_a_gradient_that_is_not_finite_stops_it() -> None:
    with pytest.raises(tv.errors.StoppedError, match="x"):
        taken(FAULTY["undefined"][0], values="norms", stop_on="nan")


@pytest.mark.torch
def test_what_numpy_has_no_dtype_for_is_summarised_by_pytorch() -> None:
    torch = pytest.importorskip("torch")
    start = torch.linspace(-2.0, 2.0, 300).reshape(30, 10)

    def program() -> None:
        w = start.to(torch.bfloat16).requires_grad_()
        (w * 3).clamp(min=0).sum().backward()

    log = recorded(program, values="norms")
    (at, clamp), *_ = ((at, op) for at, op in log.of_kind(OpRecorded).items() if op.op == "clip_by_value")
    expected = (start.to(torch.bfloat16) * 3).clamp(min=0)
    said = log.value(clamp.outputs[0], at)
    assert isinstance(said, Summary)
    assert (said.shape, said.dtype, said.nans, said.infs) == ((30, 10), "bfloat16", 0, 0)
    assert (said.min, said.max, said.zeros) == (0.0, float(expected.max()), int((expected == 0).sum()))
    assert said.norm == pytest.approx(float(expected.float().norm()), rel=1e-4)
    assert said.mean == pytest.approx(float(expected.float().mean()), rel=1e-4)


@pytest.mark.torch
def test_of_bfloat16_what_is_not_finite_is_counted() -> None:
    torch = pytest.importorskip("torch")

    def program() -> None:
        w = torch.tensor([[0.0, 1.0, torch.inf, torch.nan] * 20], dtype=torch.bfloat16, requires_grad=True)
        (w * 1).sum().backward()

    log = recorded(program, values="norms")
    said = log.value(log.id_of("w"))
    assert (said.zeros, said.nans, said.infs, said.max, said.dtype) == (20, 20, 20, 1.0, "bfloat16")
    assert bytes_of(said.shape, said.dtype) == 160


@pytest.mark.torch
def test_a_large_value_that_is_changed_in_place_keeps_its_statistics() -> None:
    torch = pytest.importorskip("torch")

    def program() -> None:
        x = torch.ones(100, 100, requires_grad=True)
        y = x * 2
        y.add_(1)
        y.sum().backward()

    log = recorded(program, values="norms")
    mul = next(op for op in log.of_kind(OpRecorded).values() if op.op == "mul")
    said = log.value(mul.outputs[0])
    assert isinstance(said, Summary)
    assert said.max == 2.0


@pytest.mark.torch
@pytest.mark.parametrize("limit", [1e9, 1e-3])
def test_a_clip_of_a_scaled_gradient_is_told_only_where_it_did_something(limit: float) -> None:
    torch = pytest.importorskip("torch")
    net, scaler = torch.nn.Linear(20, 20), torch.amp.GradScaler("cpu", init_scale=1.0)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def program() -> None:
        scaler.scale(net(torch.ones(3, 20)).square().mean()).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), limit)
        scaler.step(optimizer)

    found = tv.diagnose(recorded(program, values="norms"))
    assert [each.cause for each in found] == (["scaled_gradient_used"] if limit < 1 else [])
