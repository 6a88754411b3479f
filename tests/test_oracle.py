"""The oracle of programs: what it must not let pass."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.oracle import Outcome, Program, Tolerance, broken_promises, differences, shared_normals

LAST_DIGIT = Tolerance(rtol=1e-4, atol=1e-5, last_digit=True)
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
    assert (differences(done(text), expected, LAST_DIGIT) == []) is same
    assert (differences(done(text), expected) == []) is (text == expected.stdout)


def test_oracle_lets_printed_numbers_lie_as_far_apart_as_values_where_told() -> None:
    near = Tolerance(rtol=1e-3, last_digit=True, as_values=True)
    expected = done("w [0.123456 7.]\n")
    assert differences(done("w [0.12341 7.]\n"), expected, near) == []
    assert differences(done("w [0.12341 7.]\n"), expected, LAST_DIGIT) != []
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
