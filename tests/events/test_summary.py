"""Statistics of arrays, against NumPy's own."""

from __future__ import annotations

import math
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tapeviz.events.summary import Packed, Summary, oddities


@pytest.mark.parametrize(
    "dtype", [np.float16, np.float32, np.float64, np.int32, np.uint8, np.bool_, ml_dtypes.bfloat16]
)
def test_of_ordinary_arrays(dtype: Any) -> None:
    array = np.array([[0, 1, 3], [2, 0, 5]]).astype(dtype)
    wide = array.astype(np.float64)
    found = Summary.of(array)
    assert (found.min, found.max, found.mean) == (wide.min(), wide.max(), pytest.approx(wide.mean()))
    assert found.norm == pytest.approx(np.linalg.norm(wide))
    assert (found.zeros, found.nans, found.infs, found.shape) == (2, 0, 0, (2, 3))


def test_non_finite_elements_are_counted_apart() -> None:
    found = Summary.of(np.array([np.nan, np.inf, -np.inf, 3.0, -4.0]))
    assert (found.nans, found.infs, found.min, found.max, found.norm) == (1, 2, -4.0, 3.0, 5.0)


def test_the_norm_of_huge_numbers_does_not_overflow() -> None:
    assert Summary.of(np.full(4, 1e300)).norm == pytest.approx(2e300)


@pytest.mark.parametrize("array", [np.zeros((0, 3)), np.array([np.nan]), np.array("text")])
def test_nothing_to_measure(array: np.ndarray) -> None:
    found = Summary.of(array)
    assert math.isnan(found.min)
    assert math.isnan(found.norm)


def test_complex_magnitudes() -> None:
    assert Summary.of(np.array([3 + 4j, 0])).max == 5.0


@pytest.mark.parametrize(
    ("array", "odd"),
    [
        (np.zeros(3), ("zero",)),
        (np.zeros(3, np.int32), ("zero",)),
        (np.array([0.0, 1.0]), ()),
        (np.array([0.0, -np.inf]), ("inf",)),
        (np.array([np.inf, np.nan], np.float16), ("nan", "inf")),
        (np.array([1j, np.nan]), ("nan",)),
        (np.zeros((0, 3)), ()),
        (np.array("text"), ()),
    ],
)
def test_what_is_odd_about_an_array_is_odd_about_its_summary(array: np.ndarray, odd: tuple[str, ...]) -> None:
    assert oddities(array) == odd
    assert oddities(Summary.of(array)) == odd


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (1 << 20, 1 << 20)])
def test_packed_and_taken_out_again(shape: tuple[int, ...]) -> None:
    summary = Summary(shape, "bfloat16", -1.5, 1e300, 0.1, math.inf, 1 << 33 if shape == (3,) else 7, 2, 1)
    packed = Packed.of(summary)
    assert packed.summary == summary
    assert (packed.shape, packed.dtype) == (shape, "bfloat16")


def test_packed_is_small() -> None:
    assert sys.getsizeof(Packed.of(Summary.of(np.ones((64, 64), np.float32)))) < 128
