"""Finite differences beside a VJP: they agree where it is right, and say so where it is not."""

from __future__ import annotations

import numpy as np
import pytest

from tapeviz import replay
from tapeviz.engine.ops import OPS
from tapeviz.errors import LogError
from tapeviz.live.slope import slope
from tests.engine import names as tv
from tests.engine.samples import Sample, cases
from tests.markup.balanced import read


def tape_of(function, *variables):
    with tv.GradientTape() as tape:
        y = function(*variables)
    tape.gradient(y, variables)
    return tape


def checks(tape):
    return [tv.check_step(tape, number + 1) for number in range(len(replay.runs(tape.log)[0].steps))]


def verdicts(tape):
    return [each.verdict for check in checks(tape) for each in check.comparisons]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("name", "sample"), cases(lambda op: any(op.rules.values())))
def test_every_row_of_the_op_table_agrees(name: str, sample: Sample, dtype):
    op = OPS[name]
    arrays = [np.asarray(each) for each in sample.arguments]
    inputs = [
        tv.Variable(each.astype(dtype) if each.dtype.kind == "f" else each) if each.dtype.kind in "fc" else each
        for each in arrays
    ]
    variables = [each for each in inputs if isinstance(each, tv.Variable)]
    with tv.GradientTape() as tape:
        out = op(*inputs, **sample.attributes)
    tape.gradient(out, variables)
    assert [str(check) for check in checks(tape) if not check.agrees] == []
    assert set(verdicts(tape)) <= {"agrees"}


@pytest.mark.parametrize("op", [tv.linalg.eigh, tv.linalg.svd])
def test_vectors_are_compared_in_the_signs_that_they_had(op):
    """In float32 the vectors of one in two of these matrices have other signs than in float64."""
    weights = np.arange(9, dtype=np.float32).reshape(3, 3)
    for seed in range(8):
        root = np.random.default_rng(seed).standard_normal((3, 3)).astype(np.float32)
        tape = tape_of(lambda x: tv.reduce_sum(op(x)[1] * weights), tv.Variable(root @ root.T))
        assert set(verdicts(tape)) == {"agrees"}, seed


def test_a_wrong_rule_is_found():
    tape = tape_of(tv.sin, tv.Variable(3.0))
    tape.log.evaluator = lambda op, inputs, attributes: np.cos(*inputs)
    [comparison] = tv.check_step(tape, 1).comparisons
    assert comparison.verdict == "differs"
    assert comparison.difference == pytest.approx(-np.sin(3.0))
    assert not tv.check_step(tape, 1).agrees


def test_one_wrong_element_of_many_is_found():
    tape = tape_of(tv.square, tv.Variable(np.linspace(1, 2, 50, dtype=np.float32)))

    def half_right(op, inputs, attributes):
        return np.concatenate([inputs[0][:49] ** 2, inputs[0][49:] ** 3])

    assert verdicts(tape) == ["agrees"]
    tape.log.evaluator = half_right
    assert verdicts(tape) == ["differs"]


@pytest.mark.parametrize(
    ("function", "at", "verdict"),
    [
        (tv.nn.relu, 0.0, "kink"),
        (tv.abs, 0.0, "agrees"),  # TensorFlow's 0 is the mean of both slopes
        (tv.sqrt, 0.0, "not finite"),
        (lambda x: tv.math.log(x), 1e-8, "agrees"),
        (lambda x: tv.exp(x), 1e-8, "agrees"),
        (tv.tanh, 20.0, "agrees"),  # float32 rounds the gradient to 0
        (lambda x: x + 1e6, 1.0, "agrees"),
    ],
)
def test_a_hard_place_has_its_verdict(function, at, verdict):
    assert verdicts(tape_of(function, tv.Variable(at))) == [verdict]


@pytest.mark.parametrize("masked", [-1e4, -1e9, -3e38, -np.inf])
def test_a_masked_softmax(masked):
    mask, weights = np.tril(np.ones((4, 4))) == 0, np.arange(16.0, dtype=np.float32).reshape(4, 4)

    def attended(x):
        return tv.reduce_sum(tv.nn.softmax(tv.where(mask, tv.constant(masked, tv.float32), x)) * weights)

    assert set(verdicts(tape_of(attended, tv.Variable(np.sin(weights))))) == {"agrees"}


@pytest.mark.parametrize("at", [0.0, 1e-3, 1.0, 300.0])
def test_a_short_float_in_between(at):
    x = tv.Variable([at, 2 * at])
    tape = tape_of(lambda x: tv.reduce_sum(tv.cast(tv.cast(x, tv.float16) * 2, tv.float32)), x)
    assert set(verdicts(tape)) == {"agrees"}


def test_each_argument_is_moved_alone():
    x = tv.Variable(3.0, name="x")
    [check] = checks(tape_of(lambda x: x * x, x))
    assert [(each.slot, each.name, each.vjp) for each in check.comparisons] == [(0, "x", 3.0), (1, "x", 3.0)]
    assert check.agrees


def test_a_variable_is_taken_as_it_was():
    x = tv.Variable(3.0)
    with tv.GradientTape() as tape:
        y = tv.sin(x)
        x.assign(100.0)
    tape.gradient(y, x)
    assert verdicts(tape) == ["agrees"]


def test_what_was_not_kept_cannot_be_checked():
    with tv.record(values="none") as log:
        tape_of(tv.sin, tv.Variable(3.0, name="angle"))
    with pytest.raises(LogError, match=r'The value of angle was not kept.*values="kept"'):
        tv.check_step(log, 1)


def test_the_debugger_says_the_same_of_numbers_that_were_not_kept(monkeypatch):
    with tv.record(values="none") as log:
        tape_of(tv.sin, tv.Variable(3.0, name="angle"))
    widget, answers = tv.debug(log), []
    monkeypatch.setattr(widget, "send", answers.append)
    widget._hear(widget, {"id": "a", "ask": "numbers", "tensor": log.id_of("angle")}, [])
    widget._hear(widget, {"id": "a", "ask": "cells", "tensor": log.id_of("angle"), "rows": -1, "columns": 0}, [])
    with pytest.raises(LogError) as refused:
        tv.check_step(log, 1)
    assert answers == [{"id": "a", "error": str(refused.value)}] * 2


def test_the_debugger_has_more_of_a_picture_than_its_page(monkeypatch):
    w = tv.Variable(np.arange(300.0 * 200).reshape(300, 200), name="w")
    widget, answers = tv.debug(tape_of(tv.reduce_sum, w)), []
    monkeypatch.setattr(widget, "send", answers.append)
    tensor = widget._log.id_of("w")
    widget._hear(widget, {"id": "a", "ask": "cells", "tensor": tensor, "rows": 0, "columns": 1}, [])
    assert widget.payload["tensors"][str(tensor)]["grid"]["sides"] == [60, 50]
    assert (answers[0]["answer"]["sides"], answers[0]["answer"]["strides"]) == ([150, 200], [2, 1])


def test_a_log_without_its_program_says_so():
    tape = tape_of(tv.sin, tv.Variable(3.0))
    tape.log.evaluator = None
    with pytest.raises(LogError, match="cannot run its ops again"):
        tv.check_step(tape, 1)


def test_steps_and_runs_that_are_not_there():
    tape = tape_of(tv.sin, tv.Variable(3.0))
    for step, run, message in [
        (0, 0, "step 0: run 0 has the steps 1 to 1"),
        (2, 0, "step 2"),
        (1, 1, "run 1: .* 1 run,"),
    ]:
        with pytest.raises(IndexError, match=message):
            tv.check_step(tape, step, run)


def test_it_shows_as_a_table():
    x = tv.Variable(3.0, name="<x>")
    check = tv.check_step(tape_of(tv.sin, x), 1)
    assert "to <x>-0.989992-0.989992" in read(check._repr_html_()).text
    assert str(check).startswith("step 1, sin:\n  to <x>: agrees: -0.989992 by the VJP")


def test_noise_does_not_pass_for_agreement():
    """At narrow widths a coarse function stands still: its slope is 0 twice, and wrong."""
    found = slope(lambda x: (float(np.float32(x)), 1.2e-7), np.float64(1.0), np.float64(1.0))
    assert found.central == pytest.approx(1.0, abs=1e-4)


def test_the_debugger_answers_its_page(monkeypatch):
    widget = tv.debug(tape_of(tv.sin, tv.Variable(3.0)))
    sent = []
    monkeypatch.setattr(widget, "send", sent.append)
    widget._hear(widget, {"id": "a.1", "ask": "check", "run": 0, "step": 1}, [])
    widget._hear(widget, {"id": "a.2", "ask": "check", "run": 0, "step": 9}, [])
    widget._hear(widget, {"id": "a.3", "ask": "something else"}, [])
    good, bad = sent
    assert good["id"] == "a.1"
    assert good["answer"]["agrees"]
    assert good["answer"]["comparisons"][0]["verdict"] == "agrees"
    assert bad == {"id": "a.2", "error": "step 9: run 0 has the steps 1 to 1."}


def test_the_rows_of_a_jacobian_are_not_to_be_had():
    v = tv.Variable([1.0, 2.0])
    with tv.GradientTape() as tape:
        u = tv.sin(v)
    tape.jacobian(u, v)
    with pytest.raises(LogError, match="rows of a Jacobian are not kept: check a call of `gradient`"):
        tv.check_step(tape, 1)
