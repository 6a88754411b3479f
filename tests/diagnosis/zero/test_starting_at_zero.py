"""Nets that start with zeros on purpose: what heals by itself is not told of, or with what heals it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.diagnosis import Findings
from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.table import table
from tapeviz.events import EventLog

START = np.random.default_rng(0).standard_normal((8, 8)).astype(np.float32)


def training(gate: Any, steps: int, rate: float = 0.1) -> EventLog:
    """A residual branch behind a gate, trained for some steps."""
    k, x = tf.Variable([[0.3, 0.1], [0.2, 0.4]], name="k"), tf.constant([[1.0, 2.0]])
    with tf.record() as log:
        for _ in range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((x + gate * tf.tanh(x @ k)) ** 2)
            for each, gradient in zip((gate, k), tape.gradient(loss, [gate, k]), strict=True):
                each.assign_sub(rate * gradient)
    return log


def test_a_zero_of_the_first_step_that_is_gone_by_the_last_is_no_finding() -> None:
    log = training(tf.Variable(0.0, name="gate"), steps=3)
    assert list(diagnose(log)) == []
    assert [cell.state for row in table(log) for cell in row] == ["arrives", "arrives"]


def test_a_zero_that_stays_is_one() -> None:
    log = training(tf.Variable(0.0, name="gate"), steps=3, rate=0.0)
    assert [each.cause for each in diagnose(log)] == ["zero_factor"]
    assert {cell.source: cell.state for row in table(log) for cell in row} == {"gate": "arrives", "k": "zero"}


def of_one_step(framework: str) -> Findings:
    """A low-rank adapter, whose second matrix starts at zero and is read by its transpose."""
    if framework == "torch":
        torch = pytest.importorskip("torch")
        A, B = (torch.nn.Parameter(torch.tensor(each)) for each in (START[:2], np.zeros((3, 2), np.float32)))
        with tf.record() as log:
            loss = ((torch.tensor(START) @ A.T @ B.T - 1.0) ** 2).mean()
            loss.backward()
        return diagnose(log)
    A, B = tf.Variable(START[:2], name="A"), tf.Variable(np.zeros((3, 2), np.float32), name="B")
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((START @ tf.transpose(A) @ tf.transpose(B) - 1.0) ** 2)
    tape.gradient(loss, [A, B])
    return diagnose(tape)


@pytest.mark.parametrize("framework", ["tapeviz", pytest.param("torch", marks=pytest.mark.torch)])
def test_what_is_about_to_learn_is_named(framework: str) -> None:
    [found] = of_one_step(framework)
    assert (found.cause, found.severity) == ("zero_factor", "hint")
    assert "multiplies by `B`, which is zero in every element" in found.message
    assert "`B` has a gradient, and once it is updated, `A` gets one" in found.fix


@pytest.mark.torch
def test_the_zeros_that_another_op_reads_are_named() -> None:
    torch = pytest.importorskip("torch")
    layer, norm = torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8)
    torch.nn.init.zeros_(norm.weight)
    with tf.record() as log:
        norm(layer(torch.tensor(START))).sub(1.0).pow(2).sum().backward()
    [first, *_] = diagnose(log)
    assert "reads `norm.weight`, which is zero in every element" in first.message
    assert "`norm.weight` has a gradient" in first.fix


def residual(depth: int, scale: float) -> EventLog:
    """Branches beside an identity, whose last weights are small or zero; not the whole of the gradient passes there."""
    first = [tf.Variable(START[:4] * 0.3, name=f"a{layer}") for layer in range(depth)]
    last = [tf.Variable(START[:, :4] * scale, name=f"b{layer}") for layer in range(depth)]
    with tf.GradientTape() as tape:
        h = tf.constant(START[:, :4])
        for a, b in zip(first, last, strict=True):
            h = h + tf.tanh(h @ a) @ b
        loss = tf.reduce_mean((h - 1.0) ** 2)
    tape.gradient(loss, [*first, *last])
    return tape.log


@pytest.mark.parametrize("scale", [0.0, 1e-6])
def test_a_gradient_that_goes_around_branches_neither_vanishes_nor_explodes(scale: float) -> None:
    causes = {each.cause for each in diagnose(residual(8, scale))}
    assert not causes & {"vanishing_depth", "exploding_depth"}


def test_a_recurrence_hears_of_gates_and_not_of_residual_connections() -> None:
    w, h = tf.Variable(START * 0.1, name="w"), tf.constant(START)
    with tf.GradientTape() as tape:
        for _ in range(30):
            h = tf.tanh(h @ w)
        loss = tf.reduce_sum(h * 1e12)
    tape.gradient(loss, w)
    found = next(each for each in diagnose(tape) if each.cause == "vanishing_depth")
    assert "forget gate" in found.fix
    assert "residual" not in found.fix
