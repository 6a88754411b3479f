"""Values as what their pictures are painted from."""

from __future__ import annotations

import base64
import math
from typing import Any

import numpy as np
import pytest

from tapeviz.views.words import cells
from tapeviz.views.words.cells import plain_axes

WIDE = (np.random.default_rng(0).normal(size=(4, 40, 100)) * 10.0 ** np.arange(-20, 20).reshape(40, 1)).astype("f4")


def read(grid: dict[str, Any]) -> np.ndarray[Any, Any]:
    """The numbers of a grid, as the front end reads them."""
    count = math.prod(grid["sides"])
    octets = np.frombuffer(base64.b64decode(grid["numbers"]), np.uint8).reshape(count, -1)
    whole = np.zeros((count, 4), np.uint8)
    whole[:, : octets.shape[1]] = octets
    return whole.view(">f4").reshape(grid["sides"])


@pytest.mark.parametrize("room", [4096, 1000, 100])
@pytest.mark.parametrize("value", [WIDE, WIDE[0], WIDE[0, 20], WIDE.astype("f8"), (WIDE[0, 16:20] * 1e3).astype(int)])
def test_a_block_has_four_digits_of_each_number_in_its_place(value: np.ndarray[Any, Any], room: int) -> None:
    grid = cells.cells(value, plain_axes(value.shape), room)
    assert grid is not None
    found = read(grid)
    assert min(50, value.size) <= found.size <= room
    rows = tuple(slice(0, side * stride, stride) for side, stride in zip(grid["sides"], grid["strides"], strict=True))
    np.testing.assert_allclose(found, value[rows], rtol=2**-16)


def test_few_numbers_are_whole_and_no_number_is_none() -> None:
    odd = np.float32([[np.nan, np.inf, -np.inf], [0.1, -0.0, 3.4e38]])
    grid = cells.cells(odd, plain_axes(odd.shape), 16)
    assert grid is not None
    np.testing.assert_array_equal(read(grid), odd)
    many = np.tile(np.finfo("f4").max, (9, 9))
    assert np.isfinite(read(cells.cells(many, plain_axes(many.shape), 100) or {})).all()


@pytest.mark.parametrize(
    ("shape", "room", "sides"),
    [
        ((8, 4, 12, 12), 600, (1, 4, 12, 12)),  # fewer of the batch before fewer heads
        ((8, 4, 12, 12), 4096, (7, 4, 12, 12)),
        ((2, 28, 28, 3), 1000, (1, 28, 28, 1)),  # channels last
        ((64, 16, 3, 3), 450, (3, 16, 3, 3)),
        ((300, 200), 4096, (60, 50)),
        ((5000,), 4096, (64,)),
        ((3, 5), 12, None),
        ((3, 5), 15, (3, 5)),
        ((100, 100), 15, None),
        ((8, 4, 0), 100, None),
    ],
)
def test_what_of_a_tensor_there_is_room_for(shape: tuple[int, ...], room: int, sides: tuple[int, ...] | None) -> None:
    found = cells.cells(np.ones(shape), plain_axes(shape), room)
    assert (found and tuple(found["sides"])) == sides


@pytest.mark.parametrize(
    "value",
    [np.float32(1), np.array(["a", "b"]), None, np.array([1.0, 1e-300]), np.array([1.0, 1e300]), np.ones(9) * 1j],
)
def test_what_has_no_picture(value: Any) -> None:
    assert cells.cells(value, plain_axes(np.shape(value)), 100) is None


def test_what_is_left_by_some_goes_to_others() -> None:
    assert cells.fair_share([], 10) == 10
    sizes = [1, 2, 50, 60, 7]
    share = cells.fair_share(sizes, 90)
    assert sum(min(size, share) for size in sizes) <= 90 < sum(min(size, share + 1) for size in sizes)
