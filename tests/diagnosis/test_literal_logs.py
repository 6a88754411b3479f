"""Rules on logs written by hand: no engine, no source text, only what happened."""

from __future__ import annotations

import pytest

from tapeviz.diagnosis import Findings
from tapeviz.diagnosis.diagnose import diagnose
from tests.literal_logs import Script


def causes(findings: Findings) -> list[tuple[str, str]]:
    return [(each.cause, each.severity) for each in findings]


def test_an_unwatched_constant() -> None:
    log = Script()
    x = log.constant("x", 2.0)
    with log.tape() as tape:
        y = log.op("mul", x, x, recorded=False)
    log.backward(tape, y, [x], missing=[x])
    (finding,) = diagnose(log)
    assert (finding.cause, finding.source, finding.target) == ("not_watched", log.dense(x), log.dense(y))
    assert finding.site is None
    assert "`x`, made before the recording, is a plain tensor" in finding.message


def test_a_frozen_variable_that_is_watched_is_no_fault() -> None:
    log = Script()
    w = log.variable("w", trainable=False)
    with log.tape(watch=[w]) as tape:
        y = log.op("square", w)
    log.backward(tape, y, [w], steps=[(y, [2.0])])
    assert causes(diagnose(log)) == []


def test_watching_counts_from_its_own_moment() -> None:
    log = Script()
    x = log.constant("x")
    with log.tape() as tape:
        y = log.op("exp", x, recorded=False)
        log.watch(tape, x)
    log.backward(tape, y, [x], missing=[x])
    assert causes(diagnose(log)) == [("watched_too_late", "error")]


def test_of_two_cuts_on_one_way_the_first_is_named() -> None:
    log = Script()
    w = log.variable("w")
    with log.tape(watch=[w]) as tape:
        a = log.op("round", w)
        b = log.op("exp", a)
        log.read_out(b)
        c = log.constant("c", 2.71828, parents=())
        d = log.constant("d", parents=(b,))
        y = log.op("mul", d, c, recorded=False)
    log.backward(tape, y, [w], missing=[w])
    assert causes(diagnose(log)) == [("nondifferentiable_op", "error")]


def test_of_two_ways_the_one_with_fewer_cuts_is_explained() -> None:
    log = Script()
    w = log.variable("w")
    with log.tape(watch=[w]) as tape:
        rounded = log.op("round", w)
        copied = log.constant(None, parents=(rounded,))
        stopped = log.op("stop_gradient", w)
        y = log.op("add", copied, stopped)
    log.backward(tape, y, [w], missing=[w])
    assert causes(diagnose(log)) == [("stop_gradient", "error")]


def test_a_choice_made_by_an_op_without_derivative_is_not_blamed_on_its_dtype() -> None:
    log = Script()
    w = log.variable("w", [0.1, 0.9])
    with log.tape(watch=[w]) as tape:
        best = log.op("argmax", w, value=1)
        y = log.op("cast", best, recorded=False)
    log.backward(tape, y, [w], missing=[w])
    assert causes(diagnose(log)) == [("nondifferentiable_op", "error")]


def test_a_value_written_before_it_was_overwritten_is_no_path() -> None:
    log = Script()
    w, total = log.variable("w"), log.variable("total", trainable=False)
    with log.tape(watch=[w]) as tape:
        square = log.op("square", w)
        log.assign(total, square)
        log.assign(total, None, how="assign")
        y = log.op("exp", total, recorded=False)
    log.backward(tape, y, [w], missing=[w])
    assert causes(diagnose(log)) == [("unused_source", "error")]


def test_an_emptied_tape_has_forgotten() -> None:
    log = Script()
    w = log.variable("w")
    with log.tape(watch=[w]) as tape:
        a = log.op("exp", w)
        log.reset(tape)
        y = log.op("exp", a, recorded=False)
    log.backward(tape, y, [w], missing=[w])
    (finding,) = diagnose(log)
    assert finding.cause == "outside_tape"
    assert "emptied" in finding.message


def test_a_loop_says_it_once_per_line_and_source() -> None:
    log = Script()
    x = log.constant("x")
    for _ in range(3):
        with log.tape() as tape:
            y = log.op("exp", x, recorded=False)
        log.backward(tape, y, [x], missing=[x])
    assert {each.cause for each in diagnose(log)} == {"not_watched"}


def test_a_zero_that_a_product_makes() -> None:
    log = Script()
    w, mask = log.variable("w", [1.0, 2.0]), log.constant("mask", [0.0, 0.0])
    with log.tape(watch=[w]) as tape:
        kept = log.op("mul", w, mask, value=[0.0, 0.0], saved=(1,))
        y = log.op("reduce_sum", kept, value=0.0)
    log.backward(tape, y, [w], steps=[(y, [[1.0, 1.0]]), (kept, [[0.0, 0.0], None])])
    assert causes(diagnose(log)) == [("zero_factor", "hint")]


@pytest.mark.parametrize("is_kept", [True, False])
def test_where_a_gradient_stops_being_finite_is_said_as_far_as_its_numbers_were_kept(is_kept: bool) -> None:
    """One that begins at an edge is told from there, past gradients of which nothing was kept."""
    log = Script()
    nan, wide = [float("nan")] * 2, ((2,), "float32")
    w = log.variable("w", [1.0, 2.0])
    with log.tape(watch=[w]) as tape:
        own = log.op("own", w, value=[1.0, 2.0])
        a = log.op("sin", own, value=[0.0, 0.0])
        y = log.op("sqrt", a, value=[0.0, 0.0])
    steps = [(y, [[float("inf")] * 2 if is_kept else wide]), (a, [wide]), (own, [nan])]
    log.backward(tape, y, [w], steps=steps)
    (found,) = diagnose(log)
    if is_kept:
        assert (found.cause, found.severity) == ("domain_edge", "error")
        assert found.message.startswith("`sqrt`")
    else:
        assert (found.cause, found.severity) == ("nan_in_forward", "warning")
        assert "Whether `own` makes it, or what came to it was so already, is not known" in found.message


def test_an_empty_log() -> None:
    assert str(diagnose(Script())).startswith("No gradient was taken yet")
