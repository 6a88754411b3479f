"""Tutorial programs run under tapeviz with only their import lines changed, and do what TensorFlow does.

The programs are the code of five documents; each names its own.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.oracle import Outcome, Program, Tolerance, broken_promises, differences, read_program, run, shared_normals

PROGRAMS = {path.stem: read_program(path) for path in sorted((Path(__file__).parent / "programs").glob("*.py"))}

# Hundreds of steps: roundings of the last bit, which two implementations may do differently, have added up.
TRAINED = Tolerance(rtol=1e-4, atol=1e-5, last_digit=True)
# Whole matrices are printed.
PRINTED = Tolerance(last_digit=True)
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


# The oracle itself: what it must not let pass.

REFERENCE = {"w": np.float32([1.0, 2.0]), "none": None, "grads": [np.float32(3.0), None], "epoch": 7, "_private": 1}


def done(stdout: str = "", error: Exception | None = None, **changed: object) -> Outcome:
    return Outcome(REFERENCE | changed, stdout, error)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"w": np.float32([1.0, 2.001])}, "w: [1.    2.001], expected [1. 2.]"),
        ({"w": np.float64([1.0, 2.0])}, "w: dtype 'float64', expected 'float32'"),
        ({"w": np.float32([[1.0, 2.0]])}, "w: shape (1, 2), expected (2,)"),
        ({"w": [1.0, 2.0]}, "w: missing"),
        ({"none": np.float32(0.0)}, "none: kind 'array', expected 'NoneType'"),
        ({"grads": [np.float32(3.0), np.float32(0.0)]}, "grads[1]: kind 'array', expected 'NoneType'"),
        ({"grads": [np.float32(3.0)]}, "grads[1]: missing"),
        ({"grads": (np.float32(np.nan), None)}, "grads[0]: nan, expected 3.0"),
        ({"epoch": 7.0}, "epoch: kind 'float', expected 'int'"),
        ({"extra": None}, "extra: not in the reference"),
        ({"stdout": "1.0\n"}, "printed '1.0\\n', expected ''"),
        ({"error": KeyError("x")}, "raised KeyError('x'), expected no error"),
    ],
)
def test_oracle_tells(changed: dict[str, object], told: str) -> None:
    assert told in differences(done(**changed), done())


def test_oracle_is_content_with_roundings_and_private_names() -> None:
    assert differences(done(w=np.float32([1.0, 2.000001]), _private=2), done()) == []
    assert differences(done(error=ValueError("ours")), done(error=ValueError("theirs"))) == []


@pytest.mark.parametrize(
    ("text", "same"),
    [("loss 0.1234\n", True), ("loss 0.1235\n", True), ("loss 0.1236\n", False), ("cost 0.1234\n", False), ("", False)],
)
def test_oracle_lets_a_last_digit_differ_only_where_told(text: str, same: bool) -> None:
    expected = done("loss 0.1234\n")
    assert (differences(done(text), expected, TRAINED) == []) is same
    assert (differences(done(text), expected) == []) is (text == expected.stdout)


def test_oracle_lets_printed_numbers_lie_as_far_apart_as_values_where_told() -> None:
    near = Tolerance(rtol=1e-3, last_digit=True, as_values=True)
    expected = done("w [0.123456 7.]\n")
    assert differences(done("w [0.12341 7.]\n"), expected, near) == []
    assert differences(done("w [0.12341 7.]\n"), expected, TRAINED) != []
    assert differences(done("w [0.12351 7.]\n"), done("w [0.12500 7.]\n"), near) != []


def test_oracle_tells_broken_promises() -> None:
    program = Program(Path("p.py"), "", {"w": [1.0, 2.0], "dy": 4.0}, ["4.0"], "RuntimeError")
    kept = done("4.0\n", RuntimeError(), dy=np.float32(4.0))
    assert broken_promises(program, kept) == []
    told = broken_promises(program, done("4\n", w=np.float32([1.0, 3.0])))
    assert [sentence.split()[0] for sentence in told] == ["raised", "w:", "dy:", "printed"]


def test_random_numbers_are_the_same_for_every_framework() -> None:
    frameworks = [
        SimpleNamespace(random=SimpleNamespace(normal=None), constant=np.asarray, float32=np.float32) for _ in range(2)
    ]
    drawn = []
    for framework in frameworks:
        with shared_normals(framework):
            drawn.append([framework.random.normal([2, 3]), framework.random.normal((3,), stddev=0.5)])
        assert framework.random.normal is None
    np.testing.assert_equal(*drawn)
    assert np.std(drawn[0][0]) > 0
