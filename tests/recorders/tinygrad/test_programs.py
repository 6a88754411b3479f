"""What is recorded of a program of tinygrad; the oracle is tinygrad itself, in the same run.

Its device is the one that runs in Python: that of the CPU compiles with clang, which need not be there.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz import graph, replay
from tapeviz.events import (
    BackwardFinished,
    GradientStored,
    OpRecorded,
    OptimizerStepped,
    ReadOut,
    StateWritten,
    catalog,
)
from tapeviz.events.log import EventLog
from tests.recorders.frameworks import tinygrad_state

os.environ.setdefault("DEV", "PYTHON")
tinygrad = pytest.importorskip("tinygrad", reason="tinygrad is not installed")

from tinygrad import Tensor, nn  # noqa: E402
from tinygrad.helpers import Context  # noqa: E402

from tests.recorders.tinygrad.programs import PROGRAMS, M, Net, V, W, array  # noqa: E402
from tests.sampling import sample  # noqa: E402

pytestmark = pytest.mark.tinygrad

HERE = list(PROGRAMS) if os.environ.get("TAPEVIZ_ALL_PROGRAMS") else sample(PROGRAMS, 14)
"""Kernels that run in Python are slow: all of the programs are run where they are asked for."""


@cache
def recorded(name: str) -> tuple[EventLog, Any, list[Any]]:
    """The log of a program, its loss, and what it is differentiated by."""
    with tv.record() as log:
        loss, sources = PROGRAMS[name]()
        loss.backward()
    return log, loss, sources


def results(loss: Any, sources: list[Any]) -> list[Any]:
    return [each.numpy().copy() for each in (loss, *(source.grad for source in sources))]


@pytest.mark.parametrize("name", HERE)
def test_the_program_gives_the_same_bits(name: str) -> None:
    before = tinygrad_state(tinygrad)
    _, *made = recorded(name)
    ours = results(*made)
    assert tinygrad_state(tinygrad) == before
    loss, sources = PROGRAMS[name]()
    loss.backward()
    for one, other in zip(ours, results(loss, sources), strict=True):
        assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())


@pytest.mark.parametrize("name", HERE)
def test_gradients_are_those_of_tinygrad(name: str) -> None:
    log, loss, sources = recorded(name)
    value, *gradients = results(loss, sources)
    [run] = replay.runs(log)
    np.testing.assert_allclose(log.value(run.targets[0]), value, rtol=2e-6, atol=1e-6)
    stored = {each.tensor: each.gradient for each in log.of_kind(GradientStored).values()}
    for source, gradient in zip(sources, gradients, strict=True):
        found = log.value(stored[log.id_of(source)])
        np.testing.assert_allclose(found, gradient, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", HERE)
def test_each_sum_is_that_of_its_contributions(name: str) -> None:
    log, *_ = recorded(name)
    [run] = replay.runs(log)
    arrived: dict[int, Any] = dict(zip(run.targets, map(log.value, run.seeds), strict=True))
    for step in run.steps:
        for each in step.contributions:
            total = arrived.get(each.tensor, 0) + log.value(each.cotangent)
            arrived[each.tensor] = total
            np.testing.assert_allclose(log.value(each.total), total, rtol=1e-6, atol=1e-6)
            assert log.tensors[each.total].shape == log.tensors[each.tensor].shape


@pytest.mark.parametrize("name", HERE)
def test_every_reader_takes_the_log_and_finds_nothing_wrong(name: str, tmp_path: Path) -> None:
    log, loss, sources = recorded(name)
    graph.build(log)
    tv.draw(log, tmp_path / "drawn.svg")
    tv.save_html(log, tmp_path / "page.html")
    assert [each for each in tv.diagnose(log) if each.severity in ("error", "warning")] == []
    tv.table(log)
    tv.why(log, loss, sources[0])


# ----- what is recorded -----


def test_names_and_lines_are_the_users() -> None:
    with tv.record() as log:
        x, w = Tensor(M), Tensor(array(4, 2))
        h = x.dot(w).relu()
        loss = (h - 1.0).square().mean()
        loss.backward()
    assert {"x", "w", "h", "loss"} <= {each.name for each in log.tensors}
    product = next(each for each in log.of_kind(OpRecorded).values() if each.op == "mul")
    assert log.sites[product.site].text == "h = x.dot(w).relu()"
    assert [each.name for each in log.scopes][-1] == "dot"


def test_parameters_are_called_by_their_path() -> None:
    with tv.record() as log:
        model = Net()
        model(Tensor(M)).sum().backward()
    assert {"model.first.weight", "model.first.bias", "model.second.weight"} <= {each.name for each in log.tensors}


def test_every_op_has_a_formula() -> None:
    ops = {each.op for name in HERE for each in recorded(name)[0].of_kind(OpRecorded).values()}
    assert {each for each in ops if catalog.row(each) is None} <= {"log2"}


def test_nothing_is_realized_for_a_recording() -> None:
    with tv.record():
        x = Tensor(V)
        y = (x * 2.0).sum()
        y.backward()
    assert not y.uop.is_realized
    assert not x.grad.uop.is_realized


def test_gradient_gives_zeros_where_nothing_arrives() -> None:
    with tv.record() as log:
        x, y = Tensor(V), Tensor(W)
        one, other = (x * x).sum().gradient(x, y)
    np.testing.assert_array_equal(one.numpy(), 2 * V)
    assert other.uop.device is None  # it is the number zero, stretched
    [end] = log.of_kind(BackwardFinished).values()
    assert end.gradients[1] is None


def test_a_gradient_of_a_gradient() -> None:
    with tv.record() as log:
        x = Tensor(V)
        [slope] = (x**3).sum().gradient(x)
        [curve] = slope.sum().gradient(x)
    np.testing.assert_allclose(curve.numpy(), 6 * V, rtol=1e-5)
    last = list(log.of_kind(BackwardFinished).values())[-1]
    np.testing.assert_allclose(log.value(last.gradients[0]), 6 * V, rtol=1e-5)


def training() -> list[Any]:
    w, losses = Tensor(array(4, 1)), []
    optimizer = nn.optim.SGD([w], lr=0.1)
    with Context(TRAINING=1):
        for _ in range(3):
            optimizer.zero_grad()
            loss = (Tensor(M) @ w - 1.0).square().mean()
            loss.backward()
            losses.append(loss.item())  # after the step it would be that of the new weights
            optimizer.step()
    return [*losses, w.numpy().tolist()]


def test_training_steps() -> None:
    plain = training()
    with tv.record() as log:
        assert training() == plain
    assert len(log.of_kind(OptimizerStepped)) == len(log.of_kind(StateWritten)) == 3
    assert len(replay.runs(log)) == 3
    assert [each.cause for each in tv.diagnose(log) if each.severity in ("error", "warning")] == []
    losses = [log.value(run.targets[0]) for run in replay.runs(log)]
    np.testing.assert_allclose(losses, plain[:3], rtol=1e-5)


def test_random_numbers_are_those_of_the_program() -> None:
    Tensor.manual_seed(3)
    plain = (Tensor.rand(3, 2) * Tensor.randn(3, 2)).numpy()
    Tensor.manual_seed(3)
    with tv.record() as log:
        x, y = Tensor.rand(3, 2), Tensor.randn(3, 2)
        product = x * y
        product.sum().backward()
    np.testing.assert_array_equal(product.numpy(), plain)
    np.testing.assert_allclose(log.value(log.id_of("product")), plain, rtol=1e-5)


def test_after_an_error_everything_is_as_before() -> None:
    before = tinygrad_state(tinygrad)
    with pytest.raises(Exception, match="scalar"), tv.record() as log:
        (Tensor(V) * 2.0).backward()
    assert tinygrad_state(tinygrad) == before
    assert log.events


def test_tinygrad_is_not_imported_for_it() -> None:
    script = "import sys, tapeviz as tv\nwith tv.record(): pass\nassert 'tinygrad' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


# ----- faults -----


def findings(log: EventLog) -> list[tuple[str, str]]:
    return [(each.cause, each.site.text if each.site else "") for each in tv.diagnose(log)]


def test_a_detached_path_is_named() -> None:
    with tv.record() as log:
        x, w = Tensor(V), Tensor(W)
        h = (x * w).detach()
        loss = (h * x).sum()
        loss.backward()
    assert not w.grad.numpy().any()
    assert ("stop_gradient", "h = (x * w).detach()") in findings(log)
    assert "detach" in str(tv.why(log, loss, w))


def test_a_number_that_was_read_out_is_named() -> None:
    with tv.record() as log:
        x, w = Tensor(V), Tensor(W)
        scale = (x * w).sum().item()
        loss = (x * Tensor([scale])).sum()
        loss.backward()
        missing = w.grad
    assert missing is None
    assert ("left_to_numpy", "scale = (x * w).sum().item()") in findings(log)
    assert [each.how for each in log.of_kind(ReadOut).values()] == [".item()"]


def test_a_tensor_that_was_realized_on_the_way_is_named() -> None:
    with tv.record() as log:
        x, w = Tensor(V), Tensor(W)
        h = (x * w).realize()
        loss = (h * h).sum()
        loss.backward()
        missing = w.grad
    assert missing is None
    [(cause, text), *_] = findings(log)
    assert (cause, text) == ("left_to_numpy", "h = (x * w).realize()")


def test_a_parameter_that_the_loss_leaves_out_is_named() -> None:
    with tv.record() as log:
        w, b = Tensor(W), Tensor(V)
        optimizer = nn.optim.SGD([w, b], lr=0.1)
        loss = (w * w).sum()
        loss.backward()
        with Context(TRAINING=1), pytest.raises(AssertionError):
            optimizer.step()
    assert "unused_source" in [cause for cause, _ in findings(log)]
