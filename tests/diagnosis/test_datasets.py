"""Where a gradient ends in what runs for a dataset: the engine's own finding, since TensorFlow shows nothing of it."""

from __future__ import annotations

import pytest

import tapeviz
from tapeviz.diagnosis import diagnose
from tests.diagnosis.programs import run

FUNCTIONS = {
    "reduce": "total = numbers.reduce(0.0, lambda s, x: s + w * x)",
    "map": "total = sum(numbers.map(lambda x: w * x))",
    "scan": "total = sum(numbers.scan(0.0, lambda s, x: (s, w * x)))",
}
PROGRAM = """
import tapeviz as tf
w = tf.Variable(2.0)
numbers = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0])
{function}
with tf.GradientTape() as tape:
    {line}
    loss = tf.square(total)
g = tape.gradient(loss, w)
"""
LOOP = """
@tf.function
def summed():
    s = 0.0
    for x in numbers:
        s += w * x
    return s
"""


@pytest.mark.parametrize("line", FUNCTIONS.values(), ids=FUNCTIONS)
def test_functions_of_a_dataset_let_no_gradient_pass(line: str) -> None:
    log = run(PROGRAM.format(function="", line=line), tapeviz)
    (finding,) = diagnose(log)
    assert finding.cause == "recording_disabled"
    assert finding.site is not None
    assert finding.site.text in line
    assert "for a dataset" in finding.message


def test_nor_does_a_loop_over_one_in_a_traced_function() -> None:
    (finding,) = diagnose(run(PROGRAM.format(function=LOOP, line="total = summed()"), tapeviz))
    assert finding.cause == "recording_disabled"
    assert "for a dataset" in finding.message


def test_a_loop_of_pythons_own_lets_it_pass() -> None:
    python = LOOP.replace("@tf.function\n", "")
    assert not list(diagnose(run(PROGRAM.format(function=python, line="total = summed()"), tapeviz)))
