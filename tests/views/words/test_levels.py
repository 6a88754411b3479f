"""Values as heat maps, as histograms, and as what a box shows of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tapeviz.events.summary import Summary
from tapeviz.views.words import levels

LARGE = np.arange(65.0)


@pytest.mark.parametrize("shape", [(5,), (100,), (3, 40), (33, 32), (1000, 1000)])
def test_a_heat_map_is_never_larger_than_its_side(shape: tuple[int, ...]) -> None:
    found = levels.grid(np.arange(math.prod(shape), dtype=np.float32).reshape(shape))
    assert found is not None
    assert found["rows"] <= levels.GRID_SIDES[0]
    assert found["cols"] <= levels.GRID_SIDES[0]
    assert len(found["levels"]) == found["rows"] * found["cols"]
    assert (found["levels"][0], found["levels"][-1]) == (
        levels.LEVELS[0],
        max(found["levels"], key=levels.LEVELS.find),
    )


@pytest.mark.parametrize(("room", "cells"), [(1024, 900), (256, 225), (64, 64), (63, None)])
def test_a_heat_map_takes_no_more_than_its_room(room: int, cells: int | None) -> None:
    found = levels.grid(np.arange(900.0).reshape(30, 30), room)
    assert (found and len(found["levels"])) == cells


@pytest.mark.parametrize("value", [np.float32(1), np.zeros((2, 2, 2)), np.array(["a", "b"]), None, np.zeros((0, 3))])
def test_what_has_no_heat_map(value: object) -> None:
    assert levels.grid(value) is None


def test_equal_cells_are_all_low() -> None:
    assert levels.grid(np.full((2, 2), 7.0)) == {"rows": 2, "cols": 2, "levels": "0000"}


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
    ("value", "strip"),
    [
        (np.float32(0.5), "0.5"),
        (np.array([1.0, -2.0]), "[1.0, -2.0]"),
        (np.array([[1.0, -2.0]]), "[[1.0, -2.0]]"),
        (np.array([[3.6, 0.0], [7.2, 0.0]]), "[[3.6, 0.0], [7.2, 0.0]]"),
        (np.array([[0.1257302, -0.1321049], [0.6404226, 1234.5]]), "[[0.126, -0.132], [0.64, 1230.0]]"),
        (np.array([1 / 3, 1e-9 / 7, 1e9 / 7]), "[0.333, 1.43e-10, 1.43e+08]"),
        (np.array([[1e-9 / 3, -1e9 / 7], [2e9 / 3, -2e-9 / 7]]), None),
        (np.arange(32.0), ":" + "_" * 16),
        (np.array([]), "[]"),
    ],
)
def test_what_a_box_shows_of_a_value(value: object, strip: str | None) -> None:
    assert levels.strip(value) == strip


def test_a_box_among_very_many_shows_no_histogram() -> None:
    assert levels.strip(np.arange(32.0), spread=False) is None
    assert levels.strip(2.0, spread=False) == "2.0"
