"""A Jacobian: the log knows how many rows went back together, and every reader speaks of rows that are not kept."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.errors import LogError
from tapeviz.events import EventLog
from tapeviz.replay import runs
from tapeviz.views.drawing.frames import frames
from tapeviz.views.payload import payload
from tapeviz.views.reading import read
from tapeviz.views.reports.text import text

MODULES = ["tapeviz", pytest.param("tensorflow", marks=pytest.mark.tensorflow)]


def recorded(tf: Any, call: str = "jacobian") -> EventLog:
    v = tf.Variable([[1.0, 2.0, 3.0], [0.5, 0.0, 1.0]], name="v")
    with tv.record() as log, tf.GradientTape() as tape:
        u = tf.sin(v) * 2.0
        getattr(tape, call)(u, v)
    return log


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize(("call", "rows"), [("jacobian", 6), ("batch_jacobian", 3), ("gradient", None)])
def test_its_rows_are_counted(module: str, call: str, rows: int | None, tmp_path: Any) -> None:
    log = recorded(import_module(module), call)
    assert [run.rows for run in runs(log)] == [rows]
    assert [run.rows for run in runs(tv.load(tv.save(log, tmp_path / "rows.tape")))] == [rows]


@pytest.mark.parametrize("module", MODULES)
def test_every_reader_says_that_rows_are_not_kept(module: str, tmp_path: Any) -> None:
    log = recorded(import_module(module))
    lost = "the rows of a Jacobian are not kept"
    assert [run["label"] for run in payload(log)["runs"]] == ["Jacobian of u by v (its rows are not kept)"]
    assert "Jacobian of u:\n  v  its rows are not kept" in text(log)
    assert "Could not check: the numbers of 1 Jacobian, whose rows are not kept." in str(tv.diagnose(log))
    assert str(tv.why(log, "u", "v")).startswith("The Jacobian of `u` arrives at `v`, through `sin` at ")
    assert f"; {lost}." in str(tv.why(log, "u", "v"))
    table = tv.table(log)
    assert str(table).splitlines()[1:] == ["v                     Jacobian", f"Jacobian: no norm, since {lost}"]
    assert lost in table.html()
    with pytest.raises(LogError, match=f"since {lost}: check a call of `gradient`"):
        tv.check_step(log, 1)
    first = frames(log, tmp_path / "frames")[0].read_text(encoding="utf-8")
    assert "with a seed of 1.0 there" in first
    assert "no norm is known" in [each.get_text() for each in tv.plot(log)[1].texts]


def test_a_gradient_is_spoken_of_as_before() -> None:
    log = recorded(tv, "gradient")
    assert [run["label"] for run in payload(log)["runs"]] == ["gradient of u with respect to v"]
    assert "gradient of u:" in text(log)
    assert "The gradient of `u` arrives at `v`" in str(tv.why(log, "u", "v"))
    assert "Jacobian" not in str(tv.table(log))
    assert "Could not check" not in str(tv.diagnose(log))


def test_why_speaks_of_the_call_that_has_numbers() -> None:
    v = tv.Variable([3.0, 4.0], name="v")
    with tv.GradientTape(persistent=True) as tape:
        u = v * 2.0
    tape.gradient(u, v)
    tape.jacobian(u, v)
    assert "The gradient of `u` arrives at `v`" in str(tv.why(tape, u, v))
    assert "its norm is 2.828" in str(tv.why(tape, u, v))


def test_rows_that_a_tape_records_are_gradients_with_numbers() -> None:
    v = tv.Variable([1.0, 2.0], name="v")
    with tv.GradientTape() as outer:
        with tv.GradientTape() as inner:
            u = v * v
        inner.jacobian(u, v)
    assert [run.rows for run in runs(outer.log)] == [None, None]
    assert "Jacobian" not in read(outer.log).names.run(runs(outer.log)[0])


@pytest.mark.torch
def test_a_batch_of_seeds_in_pytorch() -> None:
    torch = import_module("torch")
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with tv.record() as log:
        y = x * x
        torch.autograd.grad(y, x, torch.eye(3), is_grads_batched=True, retain_graph=True)
        torch.autograd.grad(y, x, torch.ones(3))
    assert [run.rows for run in runs(log)] == [3, None]
    with tv.record() as log:
        torch.autograd.functional.jacobian(lambda x: x.sin(), torch.ones(4), vectorize=True)
    assert [run.rows for run in runs(log)] == [4]
    with tv.record() as log:
        torch.autograd.functional.jacobian(lambda x: x.sin(), torch.ones(2))
    assert [run.rows for run in runs(log)] == [None, None], "a row is a gradient, whose numbers are kept"


@pytest.mark.torch
def test_rows_of_any_seeds_are_no_whole_jacobian(tmp_path: Any) -> None:
    torch = import_module("torch")
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with tv.record() as log:
        y = x * x
        torch.autograd.grad(y, x, torch.full((2, 3), 0.5), is_grads_batched=True)
    [run] = payload(log)["runs"]
    assert run["passes"] == (
        "For the 6 numbers of its rows it takes 2 passes backwards, one a row, made together; "
        "forwards it takes 3 passes, one a column."
    )
    first = frames(log, tmp_path / "frames")[0].read_text(encoding="utf-8")
    assert "Each row begins with a seed of its own; " in first


@pytest.mark.torch
def test_a_program_without_a_module_name_has_no_rows() -> None:
    rows = import_module("tapeviz.recorders.torch.backward.engine")._rows
    assert rows(eval("sys._getframe()", {"sys": sys})) is None
