"""Two recordings side by side: what changed in the program, and in its gradients."""

from __future__ import annotations

import pytest

import tapeviz as tf
from tapeviz import compare
from tapeviz.events import EventLog
from tapeviz.markup.card import MOST
from tests.diagnosis.comparing.chains import chain
from tests.diagnosis.programs import run
from tests.growth import timed
from tests.markup.balanced import read

TEXT = """
w, b = tf.Variable([1.0, 2.0]), tf.Variable(0.5)
for step in range(3):
    with tf.GradientTape() as tape:
        h = {h}
        loss = tf.reduce_sum(h * h) + b
    gw, gb = tape.gradient(loss, [w, b])
"""


def log_of(h: str) -> EventLog:
    return run(TEXT.format(h=h), tf)


def test_what_the_fix_changed() -> None:
    found = compare(log_of("tf.round(w * 3.0)"), log_of("tf.sin(w * 3.0)"))
    assert [(each.mark, each.what, each.times) for each in found.changes if each.mark != "~"] == [
        ("-", "round", 3),
        ("+", "sin", 3),
    ]
    assert [str(each) for each in found.gradients] == [
        "loss by w: None [nondifferentiable_op] → 1.815",
        "loss by b: 1, the same",
    ]
    assert [each.cause for each in found.gone] == ["nondifferentiable_op"]
    assert found.new == []
    assert found.divergence
    assert found.divergence[1].what == "sin"
    assert "sin:  h = tf.sin(w * 3.0)" in str(found)


def test_the_other_way_round_it_is_new() -> None:
    found = compare(log_of("w * 3.0"), log_of("tf.constant((w * 3.0).numpy())"))
    assert [each.cause for each in found.new] == ["left_to_numpy"]
    assert found.gone == []
    assert found.divergence == ()
    assert "the same results" in str(found)


def test_what_print_cuts_short_it_is_not_said_to_show() -> None:
    def lines(what: str) -> EventLog:
        parts = "".join(f"    y{n} = {what.format(n=n)}\n" for n in range(MOST + 3))
        ends = "".join(f"tape.gradient(y{n}, w)\n" for n in range(MOST + 3))
        return run(f"w = tf.Variable(2.0)\nwith tf.GradientTape(persistent=True) as tape:\n{parts}{ends}", tf)

    found = compare(lines("w * {n}.5"), lines("tf.round(w * {n}.5)"))
    assert len(found.new) == MOST + 3
    assert "and 3 more: .new has them all" in read(found._repr_html_()).text


def test_a_recording_is_like_itself() -> None:
    found = compare(log_of("w * 3.0"), log_of("w * 3.0"))
    assert found.changes == []
    assert all(each.same for each in found.gradients)
    assert (found.gone, found.new, found.divergence) == ([], [], ())


def test_without_values_nothing_is_said_of_them() -> None:
    with tf.record(values="none") as log:
        tf.constant(1.0) * 2.0
    found = compare(log, log)
    assert found.divergence is None
    assert "no results were kept to compare" in str(found)


def test_two_recordings_of_nothing_say_so() -> None:
    with tf.record() as empty:
        tf.constant(1.0) * 2.0
    assert str(compare(empty, empty)) == "2 events alike, 0 not\nthe same results\nno gradient was taken"


def test_a_line_that_does_the_same_in_other_words_is_shown() -> None:
    found = compare(run("x = tf.Variable(3)\n", tf), run("x = tf.Variable(3.0)\n", tf))
    assert [str(each).partition(": ")[2] for each in found.changes] == [
        "variable:  x = tf.Variable(3)  →  x = tf.Variable(3.0)"
    ]


def test_a_line_of_several_ops_is_shown_once() -> None:
    text = "w = tf.Variable(2.0)\nfor step in range(3):\n    y = tf.sin(w * 2.0) + w{}\n"
    found = compare(run(text.format(""), tf), run(text.format("  # as before"), tf))
    assert [(each.mark, each.what, each.times) for each in found.changes] == [("~", "mul, sin, add", 3)]


def test_one_target_on_either_side_is_the_other_under_another_name() -> None:
    text = "w = tf.Variable(2.0, name='w')\nwith tf.GradientTape() as tape:\n    {0} = w * w\ntape.gradient({0}, w)\n"
    [change] = compare(run(text.format("loss"), tf), run(text.format("cost"), tf)).gradients
    assert str(change) == "loss by w (cost by w): 4, the same"


@pytest.mark.torch
def test_it_speaks_as_the_users_of_the_framework_do() -> None:
    torch = pytest.importorskip("torch")

    def log(how: str) -> EventLog:
        text = (
            f"w = torch.ones(2, requires_grad=True)\nwith tv.record() as log:\n    (w * 2.0).{how}().sum().backward()\n"
        )
        scope = {"torch": torch, "tv": tf}
        exec(text, scope)
        return scope["log"]

    assert {each.what for each in compare(log("sin"), log("detach().requires_grad_().mean")).changes}.isdisjoint(
        {"tape", "stop_gradient", "reduce_mean"}
    )


@pytest.mark.slow
def test_long_recordings_take_no_square() -> None:
    def seconds(length: int, below: float = 0.0) -> float:
        one, other = chain(length, -1), chain(length, length // 2)
        found, took = timed(lambda: compare(one, other), below)
        assert [each.what for each in found.changes if each.mark == "+"] == ["mul"]
        return took

    most = 10 * max(seconds(2_500), 0.02)
    assert seconds(10_000, most) < most
