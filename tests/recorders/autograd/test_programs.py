"""What is recorded of a program of autograd; the oracle is autograd itself, in the same run."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz import graph, replay
from tapeviz.events import BackwardFinished, GradientUnseen, OpRecorded, ReadOut, VjpApplied, catalog
from tapeviz.events.log import EventLog
from tests.recorders.frameworks import autograd_state

autograd = pytest.importorskip("autograd", reason="autograd is not installed")

from autograd.misc.flatten import flatten  # noqa: E402

from tests.recorders.autograd.programs import PROGRAMS, Program, V, W, cube, numbers  # noqa: E402

anp: Any = sys.modules["autograd.numpy"]

pytestmark = [pytest.mark.autograd, pytest.mark.filterwarnings("ignore::UserWarning")]

NESTED = {"penalty", "slope"}


def run(program: Program) -> Any:
    return autograd.value_and_grad(program.f)(*program.args)


@cache
def recorded(name: str) -> tuple[EventLog, Any]:
    """The log of a program, and its results."""
    with tv.record() as log:
        result = run(PROGRAMS[name])
    return log, result


def bits(value: Any) -> Any:
    flat, _ = flatten(value)
    return flat.dtype.str, flat.tobytes()


def leaves(value: Any) -> list[Any]:
    """The arrays in lists and dictionaries, in their order."""
    parts = list(value.values()) if isinstance(value, dict) else value
    return [each for part in parts for each in leaves(part)] if isinstance(parts, (list, tuple)) else [value]


def ops(log: EventLog) -> list[str]:
    return [each.op for each in log.of_kind(OpRecorded).values()]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_gives_the_same_bits(name: str) -> None:
    before = autograd_state(autograd)
    _, (value, gradient) = recorded(name)
    alone = run(PROGRAMS[name])
    assert bits((value, gradient)) == bits(alone)
    assert autograd_state(autograd) == before


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_those_of_autograd(name: str) -> None:
    log, (value, gradient) = recorded(name)
    last = list(log.of_kind(BackwardFinished).values())[-1]
    ours = [np.ravel(log.value(each)) for each in last.gradients if each is not None]
    theirs = [np.ravel(each) for each in leaves(gradient)]
    np.testing.assert_allclose(np.concatenate(ours), np.concatenate(theirs), rtol=1e-6, atol=1e-6)
    target = replay.runs(log)[-1].targets[0]
    np.testing.assert_allclose(log.value(target), value, rtol=1e-12)


@pytest.mark.parametrize("name", sorted(set(PROGRAMS) - NESTED))
def test_each_sum_is_that_of_its_contributions(name: str) -> None:
    log, _ = recorded(name)
    [only] = replay.runs(log)
    arrived: dict[int, Any] = dict(zip(only.targets, map(log.value, only.seeds), strict=True))
    for step in only.steps:
        assert step.upstream == tuple(step.upstream)
        for each in step.contributions:
            total = arrived.get(each.tensor, 0) + log.value(each.cotangent)
            arrived[each.tensor] = total
            np.testing.assert_allclose(log.value(each.total), total, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_reader_takes_the_log_and_finds_nothing_wrong(name: str, tmp_path: Path) -> None:
    log, _ = recorded(name)
    graph.build(log)
    tv.draw(log, tmp_path / "drawn.svg")
    tv.save_html(log, tmp_path / "page.html")
    assert [each for each in tv.diagnose(log) if each.severity in ("error", "warning")] == []
    tv.table(log)
    last = replay.runs(log)[-1]
    if log.tensors[last.targets[0]].name is not None:  # the result of a lambda has no name
        tv.why(log, log.tensors[last.targets[0]].name, log.tensors[last.sources[0]].name)


# ----- what is recorded -----


def test_names_and_lines_are_the_users() -> None:
    log, _ = recorded("mlp")
    names = {each.name for each in log.tensors if each.name}
    assert {"params['w1']", "params['b1']", "params['w2']", "h", "out", "mlp"} <= names
    first = next(iter(log.of_kind(OpRecorded).values()))
    assert log.sites[first.site].text == 'h = np.tanh(np.dot(x, params["w1"]) + params["b1"])'
    assert first.op == "matmul"


def test_most_ops_have_a_formula() -> None:
    unknown = {op for name in PROGRAMS for op in ops(recorded(name)[0]) if catalog.row(op) is None}
    assert unknown <= {
        *("log2", "log10", "std", "outer", "tensordot", "sort", "eigh", "svd", "fft", "dot", "cube", "mut_add"),
        *("unbroadcast", "sparse_add", "untake", "var", "fliplr", "max", "min", "replace_zero", "container_untake"),
    }


def test_what_a_rule_keeps_is_what_its_closure_holds() -> None:
    log, _ = recorded("shared")
    sine, product, total = log.of_kind(OpRecorded).values()
    assert (sine.saved, product.saved, total.saved) == (sine.inputs, product.inputs, ())


def test_a_primitive_of_the_users_is_one() -> None:
    log, _ = recorded("own")
    [own] = [each for each in log.of_kind(OpRecorded).values() if each.op == "cube"]
    assert log.is_users(own)


def test_a_jacobian_is_a_run_for_each_row() -> None:
    with tv.record() as log:
        rows = autograd.jacobian(lambda x: anp.sin(x) * x)(V)
    assert len(log.of_kind(BackwardFinished)) == len(V)
    found = [log.value(each.gradients[0]) for each in log.of_kind(BackwardFinished).values()]
    np.testing.assert_array_equal(np.stack(found), rows)


def test_a_hessian_goes_back_through_what_went_back() -> None:
    with tv.record() as log:
        autograd.hessian(lambda x: anp.sum(x**3))(V)
    assert len(log.of_kind(BackwardFinished)) == 1 + len(V)
    assert all(each.gradients[0] is not None for each in log.of_kind(BackwardFinished).values())


def test_make_vjp_is_pulled_as_often_as_the_program_likes() -> None:
    with tv.record() as log:
        pull, value = autograd.make_vjp(lambda x: x * V)(W)
        one, two = pull(np.ones(4)), pull(2 * np.ones(4))
    np.testing.assert_array_equal(2 * one, two)
    assert len(log.of_kind(BackwardFinished)) == 2
    assert log.raw_id(value) is not None


def test_what_is_pulled_after_the_recording_gives_the_same() -> None:
    with tv.record() as log:
        pull, _ = autograd.make_vjp(lambda x: x * x)(W)
    events = len(log.events)
    np.testing.assert_array_equal(pull(np.ones(4)), 2 * W)
    assert len(log.events) == events


def test_arrays_that_the_program_writes_into_keep_what_they_were() -> None:
    w = V.copy()
    with tv.record() as log:
        for _ in range(2):
            w -= 0.1 * autograd.grad(lambda w: anp.sum(w * w))(w)
    first = replay.runs(log)[0]
    np.testing.assert_array_equal(log.value(first.sources[0]), V)


def test_forward_mode_is_said_not_to_be_seen() -> None:
    with tv.record() as log:
        autograd.make_jvp(lambda x: x * x)(W)(V)
    assert [each.why for each in log.of_kind(GradientUnseen).values()] == ["in forward mode, which keeps no tape"]


def test_after_an_error_everything_is_as_before() -> None:
    before = autograd_state(autograd)

    def fails(x: Any) -> Any:
        raise KeyError("the program's own")

    with pytest.raises(KeyError), tv.record():
        autograd.grad(fails)(2.0)
    assert autograd_state(autograd) == before
    autograd.tracer.trace_stack.top = -1  # autograd itself forgets to leave the trace


def test_autograd_is_not_imported_for_it() -> None:
    script = "import sys, tapeviz as tv\nwith tv.record(): pass\nassert 'autograd' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


# ----- faults -----


def findings(log: EventLog) -> list[tuple[str, str]]:
    return [(each.cause, each.site.text if each.site else "") for each in tv.diagnose(log)]


def test_a_value_taken_out_of_its_box_is_named() -> None:
    from autograd.tracer import getval

    def loss(w: Any) -> Any:
        h = anp.tanh(w)
        return anp.sum(getval(h) * V)

    with tv.record() as log:
        autograd.grad(loss)(W)
    assert ("left_to_numpy", "return anp.sum(getval(h) * V)") in findings(log)
    assert [each.how for each in log.of_kind(ReadOut).values()] == ["getval()"]
    assert "zeros in autograd" in str(tv.why(log, "loss", "w"))


def test_a_function_without_a_derivative_is_named() -> None:
    def loss(w: Any) -> Any:
        h = anp.round(w)
        return anp.sum(h * V)

    with tv.record() as log:
        autograd.grad(loss)(W)
    [(cause, text)] = findings(log)
    assert (cause, text) == ("left_to_numpy", "h = anp.round(w)")


def test_an_unused_argument_is_named() -> None:
    def loss(params: Any) -> Any:
        return anp.sum(params["w"] ** 2)

    with tv.record() as log:
        gradient = autograd.grad(loss)({"w": W, "b": V})
    assert not gradient["b"].any()
    assert findings(log)[0][0] == "unused_source"
    assert "params['b']" in str(tv.diagnose(log)[0])


def test_numpy_in_the_place_of_autograds_is_named() -> None:
    def loss(w: Any) -> Any:
        return anp.sum(np.exp(w) * V)

    with pytest.raises(TypeError), tv.record() as log:
        autograd.grad(loss)(W)
    autograd.tracer.trace_stack.top = -1
    assert ("left_to_numpy", "return anp.sum(np.exp(w) * V)") in findings(log)


def test_a_wrong_derivative_of_the_users_is_still_an_op_with_its_contribution() -> None:
    with tv.record() as log:
        autograd.grad(lambda x: cube(x))(2.0)
    [step] = log.of_kind(VjpApplied).values()
    assert log.value(step.cotangents[0]) == 12.0


def test_healthy_numbers() -> None:
    assert numbers(2).shape == (2,)
