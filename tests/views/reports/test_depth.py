"""The gradient from layer to layer: in words, in numbers, in a plot."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

import tapeviz as tf
from tapeviz.errors import LogError
from tapeviz.views.reports.depth import Depth, depth
from tests.engine.names import math


def chain(factor: float, length: int) -> Depth:
    h = x = tf.Variable(1.0, name="x")
    with tf.GradientTape() as tape:
        for _ in range(length):
            h = h * factor
    tape.gradient(h, x)
    return depth(tape)


@pytest.mark.parametrize(("factor", "first_out"), [(0.08, 4), (0.5, 14), (12.5, 4), (0.9, None), (1.0, None)])
def test_the_decay_and_the_first_layer_out_of_range(factor: float, first_out: int | None) -> None:
    found = chain(factor, 20)
    assert len(found.norms) == 20
    assert found.decay == pytest.approx(factor, rel=1e-4)
    assert found.norms[0] == pytest.approx(factor)
    assert found.first_out == (None if first_out is None else first_out + 1)


def test_a_pass_of_a_loop_is_one_layer_whatever_lines_it_has() -> None:
    w, h = tf.Variable([[0.9, 0.1], [0.2, 0.5]]), tf.Variable([[1.0, 1.0]], name="start")
    state = h
    with tf.GradientTape() as tape:
        for _ in range(7):
            mixed = tf.matmul(state, w)
            state = tf.tanh(mixed)
        loss = tf.reduce_sum(state)
    tape.gradient(loss, [w, h])
    found = depth(tape, loss, h)
    assert len(found.norms) == 8
    assert found.source == "start"


def test_lines_outside_loops_are_layers_of_their_own() -> None:
    x = tf.Variable(0.5)
    with tf.GradientTape() as tape:
        a = tf.sin(x) * 2.0
        b = tf.exp(a)
        c = tf.square(b)
    tape.gradient(c, x)
    assert depth(tape).norms == pytest.approx([2.0 * b.numpy(), 2.0 * b.numpy() ** 2, tape_gradient(x)], rel=1e-4)


def tape_gradient(x: tf.Variable) -> float:
    with tf.GradientTape() as tape:
        y = tf.square(tf.exp(tf.sin(x) * 2.0))
    return float(tape.gradient(y, x))


def test_in_words() -> None:
    said = str(chain(0.5, 80))
    assert said.startswith("gradient of h back to x: 80 layers, times 0.5 per layer; out of range from layer 15 on")
    assert said.count("out of range") == 2
    assert "… 20 layers …" in said
    assert "<pre" in chain(0.1, 3)._repr_html_()


def test_in_a_plot() -> None:
    axes = Figure().subplots()
    assert chain(0.08, 12).plot(axes) is axes
    assert axes.get_yscale() == "log"
    labels = axes.get_legend_handles_labels()[1]
    assert labels == ["norm", "range", "× 0.08 per layer", "out of range from layer 5"]
    np.testing.assert_allclose(axes.lines[0].get_ydata(), 0.08 ** np.arange(1, 13), rtol=1e-3)


def test_norms_that_were_not_kept_are_confessed() -> None:
    x = tf.Variable(0.5)
    with tf.record(values="none") as log:
        with tf.GradientTape() as tape:
            y = tf.sin(x)
        tape.gradient(y, x)
    found = depth(log)
    assert (found.norms, found.decay, found.first_out) == ([None], None, None)
    assert "not kept" in str(found)
    found.plot(Figure().subplots())


def test_a_first_state_of_zeros_takes_nothing_out_of_range() -> None:
    w, h = tf.Variable([[0.9, 0.1], [0.0, 0.8]], name="w"), tf.zeros((1, 2))
    with tf.GradientTape() as tape:
        for _ in range(6):
            h = tf.tanh(h @ w + 0.1)
        loss = tf.reduce_sum(h)
    tape.gradient(loss, w)
    found = depth(tape)
    assert found.norms[-1] == 0.0
    assert found.first_out is None
    assert "none is out of range" in str(found)


def test_a_gradient_that_is_nan_is_not_said_to_be_in_range() -> None:
    x = tf.Variable([4.0, 0.0], name="x")
    with tf.GradientTape() as tape:
        y = tf.where(x > 1.0, math.log(x), x)
        loss = tf.reduce_sum(tf.tanh(y))
    tape.gradient(loss, x)
    found = depth(tape)
    assert not found.is_finite
    for told in (str(found), found._repr_html_()):
        assert "what arrives is not finite" in told
        assert "none is out of range" not in told
    assert chain(0.5, 3).is_finite


def test_in_a_notebook_a_bar_keeps_its_line() -> None:
    headline, _, bars = chain(0.5, 3)._repr_html_().partition("<pre ")
    assert "the bars are logarithmic" in headline
    assert "white-space:pre;" in bars
    assert "logarithmic" not in bars


def test_what_nobody_asked_for_is_an_error() -> None:
    x = tf.Variable(0.5)
    with tf.GradientTape() as tape:
        y = tf.sin(x)
    with pytest.raises(LogError, match="No gradient was taken yet"):
        depth(tape)
    tape.gradient(y, x)
    with pytest.raises(LogError, match="No gradient of such a target and source arrived"):
        depth(tape, x)


def test_a_gradient_is_called_as_elsewhere() -> None:
    x = tf.Variable(0.5)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.sin(x) * x
        g = inner.gradient(y, x)
    outer.gradient(g, x)
    assert depth(outer).target == "g"


def test_where_nothing_arrived_nothing_else_is_said() -> None:
    x = tf.constant(0.5)
    with tf.GradientTape() as tape:
        y = tf.sin(x)
    tape.gradient(y, x)
    with pytest.raises(LogError, match="No gradient arrived in this log"):
        depth(tape)


@pytest.mark.parametrize("start", [0.0, np.nan])
def test_layers_that_are_all_zero_or_nan_are_out_of_range(start: float) -> None:
    x = tf.Variable(0.5)
    with tf.GradientTape() as tape:
        y = tf.sin(tf.sin(x)) * start
    tape.gradient(y, x)
    found = depth(tape)
    assert found.first_out == 1
    assert "out of range from layer 1 on" in str(found)
