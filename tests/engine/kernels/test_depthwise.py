"""A convolution by channels along lines, and both ways back, give the sums of products over all windows."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from tapeviz.engine.kernels.depthwise import MANY, convolved, filters_of, picture_of
from tapeviz.engine.kernels.windows import Border, Pair, padded, placewise, put_back, windows_of
from tapeviz.errors import InvalidArgumentError

SHAPES = ((2, 7, 9, 3), (9, 12, 13, 2), (0, 7, 9, 3))  # few numbers and many, and none
FILTERS = ((1, 1, 1), (3, 3, 1), (2, 3, 3))  # rows, columns, filters of each channel
CUTS: tuple[tuple[Pair, Pair], ...] = (((1, 1), (1, 1)), ((2, 3), (1, 1)), ((1, 1), (3, 2)), ((2, 1), (1, 2)))
BORDERS: tuple[Border, ...] = (((0, 0), (0, 0)), ((1, 1), (0, 2)), ((4, 0), (3, 5)))
CASES = list(product(SHAPES, FILTERS, CUTS, BORDERS))


def numbers(*shape: int) -> Any:
    return np.random.default_rng(len(shape)).integers(-5, 6, shape).astype(np.float32)  # of which sums are exact


def test_there_are_few_numbers_and_many() -> None:
    assert math.prod(SHAPES[0]) < MANY <= math.prod(SHAPES[1])


@pytest.mark.parametrize(("shape", "filters", "cut", "border"), CASES)
def test_all_ways(shape: Any, filters: Any, cut: tuple[Pair, Pair], border: Border) -> None:
    x, f = numbers(*shape), numbers(*filters[:2], shape[3], filters[2])
    windows = windows_of(padded(x, border), filters[:2], *cut)
    expected = np.einsum("bxyijc,ijcm->bxycm", windows, f)
    out = convolved(x, f, cut[0], border, cut[1])
    assert out.shape == (*windows.shape[:3], f.shape[2] * f.shape[3])
    np.testing.assert_array_equal(out, expected.reshape(out.shape), strict=True)

    u = np.random.default_rng(9).integers(-5, 6, out.shape).astype(np.float32)
    each = u.reshape(*u.shape[:3], *f.shape[2:])
    by_filter = np.einsum("bxyijc,bxycm->ijcm", windows, each)
    np.testing.assert_array_equal(filters_of(x, u, f.shape, cut[0], border, cut[1]), by_filter, strict=True)

    shares = placewise(np.einsum("bxycm,ijcm->bxyijc", each, f))
    by_point = put_back(shares, filters[:2], shape, *cut, border)
    np.testing.assert_array_equal(picture_of(u, f, shape, cut[0], border, cut[1]), by_point, strict=True)


@pytest.mark.parametrize("special", [np.nan, np.inf])
def test_a_filter_that_is_no_number_stays_where_it_is(special: float) -> None:
    u, f = np.ones((1, 3, 3, 2), np.float32), np.ones((2, 2, 2, 1), np.float32)
    f[0, 0, 0, 0] = special
    out = picture_of(u, f, (1, 6, 6, 2), (2, 2), ((0, 0), (0, 0)), (1, 1))
    expected = np.zeros((1, 6, 6, 2), bool)
    expected[:, ::2, ::2, 0] = True
    np.testing.assert_array_equal(~np.isfinite(out), expected)


def test_fewer_windows_than_the_picture_has() -> None:
    x, u = numbers(2, 6, 7, 3), numbers(2, 2, 3, 6)
    windows = windows_of(x, (2, 2), (1, 1), (1, 1))[:, :2, :3]
    expected = np.einsum("bxyijc,bxycm->ijcm", windows, u.reshape(2, 2, 3, 3, 2))
    np.testing.assert_array_equal(filters_of(x, u, (2, 2, 3, 2), (1, 1), ((0, 0), (0, 0)), (1, 1)), expected)


@pytest.mark.parametrize("shape", [(2, 2, 3, 1), (MANY, 2, 3, 1)])
def test_a_window_larger_than_the_picture(shape: Any) -> None:
    with pytest.raises(
        InvalidArgumentError, match=r"negative: -2 \[input_size: 2, effective_filter_size: 5, stride: 1\]"
    ):
        convolved(np.ones(shape), np.ones((5, 3, 1, 1)), (1, 1), ((0, 0), (0, 0)), (1, 1))


@pytest.mark.parametrize("shape", [(2, 2, 3, 1), (MANY, 2, 3, 1)])
def test_a_window_that_just_misses_the_picture(shape: Any) -> None:
    found = convolved(np.ones(shape), np.ones((3, 3, 1, 1)), (1, 1), ((0, 0), (0, 0)), (1, 1))
    assert found.shape == (shape[0], 0, 1, 1)
