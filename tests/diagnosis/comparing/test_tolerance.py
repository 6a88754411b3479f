"""When two values are the same, in one framework and in two."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeviz.diagnosis.comparing.tolerance import Tolerance, distance
from tapeviz.events.summary import summary_of

ROWS = np.arange(6, dtype=np.float32).reshape(2, 3) + 1


@pytest.mark.parametrize(
    ("one", "other", "in_one", "in_two"),
    [
        pytest.param(ROWS, ROWS.copy(), True, True, id="equal"),
        pytest.param(ROWS, ROWS * np.float32(1 + 1e-5), False, True, id="of other last digits"),
        pytest.param(ROWS, ROWS * np.float32(1.01), False, False, id="of other digits"),
        pytest.param(ROWS.astype(np.float64), ROWS * (1 + 1e-5), False, True, id="as precise as the coarser"),
        pytest.param(ROWS.astype(np.float64), ROWS.astype(np.float64) * (1 + 1e-7), True, False, id="in double"),
        pytest.param(ROWS, ROWS.T, False, True, id="transposed"),
        pytest.param(ROWS, ROWS.reshape(6), False, True, id="in another shape"),
        pytest.param(ROWS, ROWS[:, :2], False, False, id="of another size"),
        pytest.param(np.float32([np.nan, 1]), np.float32([np.nan, 1]), True, True, id="NaN"),
        pytest.param(np.float32([np.nan, 1]), np.float32([0, 1]), False, False, id="NaN in one"),
        pytest.param(np.float32([np.inf, 1]), np.float32([-np.inf, 1]), False, False, id="infinities"),
        pytest.param(np.zeros(3), np.zeros(3), True, True, id="zeros"),
        pytest.param(np.zeros(3), np.float64([0, 0, 1e-30]), False, False, id="zeros in one"),
        pytest.param(np.array([1, 2]), np.array([1, 3]), False, False, id="whole numbers"),
        pytest.param(np.array([True, False]), np.array([True, False]), True, True, id="truths"),
        pytest.param(ROWS * 1j, ROWS * 1j, True, True, id="complex"),
        pytest.param(np.float32(2), np.float32(2), True, True, id="a scalar"),
        pytest.param(ROWS, None, False, False, id="not kept"),
        pytest.param(summary_of(ROWS), ROWS, True, True, id="its statistics"),
        pytest.param(summary_of(ROWS), ROWS + 1, False, False, id="other statistics"),
    ],
)
def test_same(one: Any, other: Any, in_one: bool, in_two: bool) -> None:
    assert [Tolerance(ported).same(one, other) for ported in (False, True)] == [in_one, in_two]
    assert [Tolerance(ported).same(other, one) for ported in (False, True)] == [in_one, in_two]


def test_a_distance_is_relative() -> None:
    assert distance(ROWS, ROWS * 2) == pytest.approx(0.5)
    assert distance(ROWS, ROWS.T) is None
    assert distance(ROWS, summary_of(ROWS)) is None
