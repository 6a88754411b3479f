"""Values as text."""

from __future__ import annotations

import numpy as np
import pytest

from tapeviz.events.summary import Summary
from tapeviz.views.words import numbers

LARGE = np.arange(65.0)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32(0.1), "0.1"),
        (np.float32(1e-20), "1e-20"),
        (np.float64(123456789.0), "1.23457e+08"),
        (np.float32("nan"), "NaN"),
        (np.float32("-inf"), "-inf"),
        (np.int64(7), "7"),
        (np.True_, "True"),
        (-0.0, "-0.0"),
    ],
)
def test_one_number(value: object, text: str) -> None:
    assert numbers.number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        (LARGE, None),
        (Summary.of(LARGE), None),
        (np.float32(2.5), "2.5"),
        (np.array([[1.0, 2.0], [3.0, 4.0]]), "[[1. 2.]\n [3. 4.]]"),
        (np.array([]), "[]"),
        (np.array([1.0, np.nan]), "[ 1. NaN]"),
    ],
)
def test_the_text_of_a_small_value(value: object, text: str | None) -> None:
    assert numbers.value_text(value) == text


def test_a_summary_counts_what_is_odd() -> None:
    assert numbers.statistics(np.array([0.0, 3.0, np.nan, np.inf])) == "0,3,1.5,3.0,1,1,1"
    assert numbers.statistics(np.float32(1.0)) is None
    assert numbers.statistics(np.array([np.nan])) == ",,,,,1"
