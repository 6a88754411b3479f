"""Training steps in a recording: a sample of what `python -m tests.recorders.jax.steps` runs."""

from __future__ import annotations

import pytest

pytest.importorskip("jax")

from tests.recorders.jax.steps.comparing import Step, outcome, outcomes, steps
from tests.recorders.jax.steps.planting import came_of, planted
from tests.sampling import sample

pytestmark = pytest.mark.jax

STEPS, FAULTS, AS_MANY_NAMED = 4, 5, 16 / 20
"""How many are tried here, and the share of the faults that has to be named."""

HERE = [each for each in steps() if not each.missing]


def test_there_are_as_many_as_promised() -> None:
    assert len(steps()) >= 40
    assert len({each.library for each in steps()}) >= 8
    assert len(planted(steps())) >= 20


def test_a_recording_leaves_them_be_and_has_their_gradients() -> None:
    ran = list(outcomes(sample(HERE, STEPS, lambda each: each.name)))
    assert len(ran) == STEPS
    assert [str(each) for each in ran if each.wrong] == []


def test_most_of_the_faults_are_named() -> None:
    ran = list(came_of(sample(planted(HERE), FAULTS, lambda each: each.name)))
    assert len(ran) > FAULTS / 2
    named = [each for each in ran if each.outcome == "named"]
    assert len(named) >= AS_MANY_NAMED * len(ran), [each for each in ran if each not in named]


SLOPE = "import jax\nresults = slope = jax.grad(lambda x: x**2)(3.0)\n"

UNTRUE = {
    "gradient 0 of call 0 is off by": f"{SLOPE}gradients = [slope * 1.00001]",
    "[1, 1] gradients, of which [1] are seen": f"{SLOPE}gradients = [slope, slope]",
    "results differ": f"{SLOPE}gradients = [slope]\nresults = float(__file__.startswith('<plain'))",
    "no gradient is seen": "results, gradients = 1.0, None",
    "not seen after the first of 2 rounds": f"{SLOPE}gradients = None\n"
    "jax.lax.map(jax.grad(lambda x: x**2), jax.numpy.ones(2))",
    "error api_misuse": f"{SLOPE}gradients = [slope]\ntry:\n    jax.grad(lambda x: 2 * x)(jax.numpy.ones(2))\n"
    "except TypeError:\n    pass",
    "in a recording it raises ValueError": "results = gradients = None\nif __file__ > '<q':\n    raise ValueError",
    "without a recording it raises ValueError": "raise ValueError",
}


@pytest.mark.parametrize("wrong", UNTRUE)
@pytest.mark.filterwarnings("ignore")
def test_what_is_not_as_it_was_is_said(wrong: str) -> None:
    assert wrong in str(outcome(Step("untrue", UNTRUE[wrong])))
