"""Windows hold what indices find in the image; putting them back is the transpose of cutting them out."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tapeviz.engine.kernels.windows import Border, Pair, fitting, padded, placewise, put_back, windows_of
from tapeviz.errors import InvalidArgumentError

CUTS: tuple[tuple[Pair, Pair, Pair], ...] = (
    *(((2, 3), (1, 1), (1, 1)), ((1, 1), (2, 3), (1, 1)), ((3, 2), (2, 1), (1, 1)), ((2, 2), (1, 1), (2, 3))),
    ((2, 2), (2, 3), (2, 1)),
)
BORDERS: tuple[Border, ...] = (((0, 0), (0, 0)), ((1, 2), (0, 3)))


@pytest.mark.parametrize(("size", "strides", "dilations"), CUTS)
@pytest.mark.parametrize("border", BORDERS)
def test_both_ways(size: Pair, strides: Pair, dilations: Pair, border: Border) -> None:
    random = np.random.default_rng(0)
    x = random.integers(-9, 10, (2, 6, 7, 3)).astype(np.float32)
    whole = padded(x, border, 5)
    np.testing.assert_array_equal(whole, np.pad(x, ((0, 0), *border, (0, 0)), constant_values=5))
    cut = windows_of(whole, size, strides, dilations)
    assert cut.shape[1:3] == fitting(whole, size, strides, dilations)
    for y, x_, i, j in product(*map(range, cut.shape[1:5])):
        row, column = y * strides[0] + i * dilations[0], x_ * strides[1] + j * dilations[1]
        np.testing.assert_array_equal(cut[:, y, x_, i, j], whole[:, row, column])

    shares = random.integers(-9, 10, cut.shape).astype(np.float32)
    back = put_back(placewise(shares), size, x.shape, strides, dilations, border)
    assert back.shape == x.shape
    assert (back * x).sum() == (shares * windows_of(padded(x, border), size, strides, dilations)).sum()


def test_a_window_larger_than_the_picture() -> None:
    with pytest.raises(
        InvalidArgumentError, match=r"negative: -2 \[input_size: 4, effective_filter_size: 7, stride: 1\]"
    ):
        windows_of(np.ones((1, 4, 4, 1)), (4, 2), (1, 1), (2, 1))


def test_a_window_that_just_misses_the_picture() -> None:
    assert windows_of(np.ones((1, 4, 4, 1)), (3, 2), (1, 1), (2, 1)).shape == (1, 0, 3, 3, 2, 1)
