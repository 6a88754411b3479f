"""Tutorial programs run under tapeviz with only their import lines changed, and do what TensorFlow does.

The programs are the code of five documents; each names its own.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.oracle import Outcome, Tolerance, broken_promises, differences, read_program, run
from tests.processor import SUMS_WIDE

PROGRAMS = {path.stem: read_program(path) for path in sorted((Path(__file__).parents[1] / "programs").glob("*.py"))}

# Hundreds of steps: roundings of the last bit, which two implementations may do differently, have added up.
TRAINED = Tolerance(rtol=1e-4, atol=1e-5, last_digit=True)
# Whole matrices are printed; where the two sum in another order, their last digits are apart as the values are.
PRINTED = Tolerance(last_digit=True, as_values=not SUMS_WIDE)
TOLERANCES = {"howto_linear_regression": TRAINED, "howto_logistic_layer": TRAINED, "answer_keras": PRINTED}

each_program = pytest.mark.parametrize("name", PROGRAMS)


@cache
def outcome(name: str, framework: str) -> Outcome:
    return run(PROGRAMS[name], framework)


@each_program
def test_program_keeps_its_promises(name: str) -> None:
    assert broken_promises(PROGRAMS[name], outcome(name, "tapeviz"), TOLERANCES.get(name, Tolerance())) == []


@pytest.mark.tensorflow
@each_program
def test_program_does_what_tensorflow_does(name: str) -> None:
    theirs = outcome(name, "tensorflow")
    tolerance = TOLERANCES.get(name, Tolerance())
    assert broken_promises(PROGRAMS[name], theirs, tolerance) == [], "the program's own end is wrong"
    assert differences(outcome(name, "tapeviz"), theirs, tolerance) == []


def test_the_irises_are_learned() -> None:
    losses = outcome("iris_network", "tapeviz").names["losses"]
    assert losses[0] == pytest.approx(1.1, abs=0.05)
    assert losses[-1] < 0.15


@pytest.mark.tensorflow
def test_the_irises_are_learned_as_fast_as_under_tensorflow() -> None:
    ours, theirs = (outcome("iris_network", framework).names["losses"] for framework in ("tapeviz", "tensorflow"))
    np.testing.assert_allclose(ours[:50], theirs[:50], rtol=1e-4)


@each_program
def test_only_import_lines_change(name: str) -> None:
    before, after = PROGRAMS[name].source.splitlines(), PROGRAMS[name].under("tapeviz").splitlines()
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    assert changed
    assert set(changed) <= {"import tapeviz as tf", "from tapeviz import GradientTape"}
