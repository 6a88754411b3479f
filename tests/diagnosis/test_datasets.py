"""Where a gradient ends in what runs for a dataset."""

from __future__ import annotations

import pytest

from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.events import ErrorRaised
from tests.diagnosis.programs import run

FUNCTIONS = {
    "reduce": "total = numbers.reduce(0.0, lambda s, x: s + w * x)",
    "map": "total = sum(numbers.map(lambda x: w * x))",
    "scan": "total = sum(numbers.scan(0.0, lambda s, x: (s, w * x)))",
}
CHAINS = {
    "flat_map": "total = sum(numbers.flat_map(lambda x: tf.data.Dataset.from_tensors(w * x)))",
    "batched": "total = sum(numbers.map(lambda x: w * x).batch(2).map(tf.reduce_sum))",
}
"""Of these `tapeviz.data` shows the functions alone, and not what became of their results."""
PROGRAM = """
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
def test_functions_of_a_dataset_let_no_gradient_pass(framework: str, line: str) -> None:
    let_no_gradient_pass(framework, line)


@pytest.mark.tensorflow
@pytest.mark.parametrize("line", CHAINS.values(), ids=CHAINS)
def test_nor_do_functions_behind_functions(line: str) -> None:
    let_no_gradient_pass("tensorflow", line)


def let_no_gradient_pass(framework: str, line: str) -> None:
    log = run(PROGRAM.format(function="", line=line), pytest.importorskip(framework))
    (finding,) = diagnose(log)
    assert finding.cause == "recording_disabled"
    assert finding.site is not None
    assert finding.site.text in line
    assert "for a dataset" in finding.message


def test_nor_does_a_loop_over_one_in_a_traced_function(framework: str) -> None:
    (finding,) = diagnose(run(PROGRAM.format(function=LOOP, line="total = summed()"), pytest.importorskip(framework)))
    assert finding.cause == "recording_disabled"
    assert "for a dataset" in finding.message


def test_a_loop_of_pythons_own_lets_it_pass(framework: str) -> None:
    python = LOOP.replace("@tf.function\n", "")
    assert not list(
        diagnose(run(PROGRAM.format(function=python, line="total = summed()"), pytest.importorskip(framework)))
    )


@pytest.mark.tensorflow
def test_a_dataset_of_plain_data_is_no_trouble() -> None:
    text = PROGRAM.format(function="", line="total = sum(w * x for x in numbers.map(lambda x: x * 2.0))")
    log = run(text, pytest.importorskip("tensorflow"))
    assert not list(diagnose(log))
    assert not [event for event in log.events if isinstance(event, ErrorRaised)]  # no more data is no error
