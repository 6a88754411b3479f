"""Values as histograms, and as what a box shows of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeviz.events.summary import Summary
from tapeviz.views.words import levels

LARGE = np.arange(65.0)


@pytest.mark.parametrize(
    ("value", "letters"),
    [
        (np.arange(16.0), "_" * 16),
        (np.arange(16), "_" * 16),
        (np.repeat([0.0, 15.0], [9, 1]), "_000000000000007"),
        (np.full(9, 3.0), "00000000_0000000"),
        (np.array([0.0] * 8 + [np.nan, np.inf, -np.inf]), "00000000_0000000"),
        (np.array([True] * 5 + [False] * 5), "_00000000000000_"),
        (np.full(9, np.nan), None),
        (np.full(9, np.inf), None),
        (np.array([-1.7e308] * 5 + [1.7e308]), None),
        (np.arange(4.0), None),
        (np.arange(9.0) * 1j, None),
        (Summary.of(LARGE), None),
        (None, None),
    ],
)
def test_a_histogram(value: object, letters: str | None) -> None:
    assert levels.histogram(value) == letters


@pytest.mark.parametrize(
    ("value", "above", "below", "ends"),
    [
        (np.float32([1, 1.5, 2, 3, 5]), "__W", "", ("1", "8")),
        (np.float32([1, -1, -1.5, 0, 0, np.nan, np.inf]), "W", "_", ("1", "2")),
        (np.full(9, -3.0), "0", "_", ("2", "4")),
        (np.array([1] * 5 + [1024]), "_000000000D", "", ("1", "2.05e+03")),
        (2.0 ** np.arange(40), "_" * 13 + "L", "", ("1", "4.4e+12")),  # three powers a bar
    ],
)
def test_sizes_spread_on_a_log_scale(value: Any, above: str, below: str, ends: tuple[str, str]) -> None:
    found = levels.spread(value)
    assert found is not None
    assert (found["above"], found["below"], (found["least"], found["most"])) == (above, below, ends)
    assert len(found["above"]) <= levels.BINS


@pytest.mark.parametrize(
    "value",
    [np.zeros(9), np.full(9, np.nan), np.full(9, 1e-300), np.full(9, 1e300), np.arange(4.0), np.ones(9) * 1j, None],
)
def test_what_does_not_spread(value: Any) -> None:
    assert levels.spread(value) is None


@pytest.mark.parametrize(
    ("value", "strip"),
    [
        (np.float32(0.5), "0.5"),
        (np.array([1.0, -2.0]), "[1.0, −2.0]"),
        (np.array([[1.0, -2.0]]), "[[1.0, −2.0]]"),
        (np.array([[3.6, 0.0], [7.2, 0.0]]), "[[3.6, 0.0], [7.2, 0.0]]"),
        (np.array([[0.1257302, -0.1321049], [0.6404226, 1234.5]]), "[[0.126, −0.132], [0.64, 1230.0]]"),
        (np.array([1 / 3, 1e-9 / 7, 1e9 / 7]), "[0.333, 1.43e-10, 1.43e+08]"),
        (np.array([[1e-9 / 3, -1e9 / 7], [2e9 / 3, -2e-9 / 7]]), None),
        (np.arange(32.0), None),
        (np.array([]), "[]"),
    ],
)
def test_what_a_box_shows_of_a_value(value: object, strip: str | None) -> None:
    assert levels.strip(value) == strip


def test_the_histograms_of_many_values_are_those_of_each() -> None:
    draw = np.random.default_rng(0)
    rows = draw.standard_normal((40, 9)).astype(np.float32) * 10.0 ** draw.integers(-30, 30, (40, 1))
    rows[3], rows[5, 2], rows[7, 1], rows[9] = 2.5, np.nan, np.inf, 0.0
    found = levels.histograms(rows)
    assert [at for at, each in enumerate(found) if each is None] == [5, 7]
    assert [each for each in found if each] == [levels.histogram(rows[at]) for at in range(40) if at not in (5, 7)]
    assert found[3] == found[9] == "00000000_0000000"
