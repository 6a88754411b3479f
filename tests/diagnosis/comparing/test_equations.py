"""The equation between two gradients: told where it is one, and not where it is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeviz.diagnosis.comparing.equations import equation, weights

DRAW = np.random.default_rng(0)
A = DRAW.standard_normal((5, 5))
NOISE = DRAW.standard_normal((5, 5))
ERROR = 1e-6
_SOME = np.array([1.0, 1.0, 3.0, 1.0, 1.0])


@pytest.mark.parametrize(
    ("b", "kind", "factor"),
    [
        (A, "equal", None),
        (A * (1 + 1e-7 * NOISE), "equal", None),
        (A * 4, "factor", 4.0),
        (-A, "factor", -1.0),
        (A / 1024, "factor", 1 / 1024),
        (A * 5 / 8, "factor", 5 / 8),
        (A * 1.001, "factor", pytest.approx(1.001)),
        (A + 1e-3 * NOISE, "other", None),
        (A * 2 + 0.3 * NOISE, "other", None),
        (A.T, "transposed", None),
        (A * _SOME[:, None], "rows", 3.0),
        (A * _SOME, "rows", 3.0),
        (A * (_SOME < 2)[:, None], "rows", 0.0),
        (A + (_SOME > 2)[:, None] * NOISE, "rows", None),
        (A * 0, "zero", 0.0),
        (A[:4], "shape", None),
        (np.where(A[0, 0] == A, np.nan, A), "not finite", None),
    ],
)
def test_the_equation_of_two_gradients(b: Any, kind: str, factor: Any) -> None:
    found = equation(A, b, ERROR)
    assert (found.kind, found.factor) == (kind, factor)
    assert found.same is (kind == "equal")
    assert found.text("one", "other", "w")


def test_the_rows_that_differ_are_named() -> None:
    assert equation(A, A * _SOME[:, None], ERROR).text("a", "b", "w") == "equal but for row 2, where b = 3.0 x a"
    assert equation(A, A * _SOME, ERROR).text("a", "b", "w") == "equal but for column 2, where b = 3.0 x a"


def test_what_may_be_the_rounding_of_larger_gradients_is_no_difference() -> None:
    tiny = 1e-9 * A
    assert equation(tiny, 1e-9 * NOISE, ERROR, floor=1e-7).kind == "rounding"
    assert equation(tiny, 2 * tiny, ERROR, floor=1e-7).kind == "factor"


def test_another_frameworks_layout_is_no_difference() -> None:
    wide = DRAW.standard_normal((2, 3))
    assert equation(wide, wide.T, ERROR).kind == "transposed"
    assert equation(wide, wide.T, ERROR, ported=True).kind == "equal"
    assert equation(wide, 2 * wide.T, ERROR, ported=True).factor == 2.0


@pytest.mark.parametrize("due", [(0.5, 0.5), (5 / 8, 3 / 8), (1.0, 0.0), (0.2, 0.3, 0.5)])
def test_the_weights_of_parts(due: tuple[float, ...]) -> None:
    parts = [DRAW.standard_normal(20) for _ in due]
    whole = sum(weight * part for weight, part in zip(due, parts, strict=True))
    assert weights(np.asarray(whole), parts, ERROR) == pytest.approx(due)
    assert weights(DRAW.standard_normal(20), parts, ERROR) is None


def test_parts_that_are_one_another_have_no_weights() -> None:
    part = DRAW.standard_normal(20)
    assert weights(part, [part, 2 * part], ERROR) is None
