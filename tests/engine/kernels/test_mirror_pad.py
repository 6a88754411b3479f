"""Mirrored borders are those of `np.pad`; folding them back is the transpose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeviz.engine.kernels.mirror_pad import Paddings, folded, mirrored

CASES: tuple[tuple[tuple[int, ...], Paddings], ...] = (
    *(((3,), ((2, 1),)), ((3,), ((0, 2),)), ((2, 4), ((1, 1), (3, 3))), ((2, 4, 3), ((0, 0), (2, 0), (0, 1)))),
    *(((1, 3), ((0, 0), (0, 0))), ((0, 3), ((0, 0), (1, 2))), ((5, 6, 7, 8), ((4, 4), (0, 0), (1, 2), (7, 0)))),
)


@pytest.mark.parametrize(("shape", "paddings"), CASES)
@pytest.mark.parametrize("beyond", [0, 1])
@pytest.mark.parametrize("lay", [np.asarray, np.asfortranarray], ids=["by rows", "by columns"])
def test_both_ways(shape: tuple[int, ...], paddings: Paddings, beyond: int, lay: Any) -> None:
    x = lay(np.random.default_rng(0).integers(-9, 10, shape).astype(np.float32))
    mode: Any = ("symmetric", "reflect")[beyond]
    places = [np.pad(np.arange(n), pair, mode) if n else np.arange(0) for n, pair in zip(shape, paddings, strict=True)]
    expected = x[np.ix_(*places)]
    np.testing.assert_array_equal(mirrored(x, paddings, beyond), expected, strict=True)

    g = lay(np.random.default_rng(1).integers(-9, 10, expected.shape).astype(np.float32))
    sums = np.zeros_like(x)
    np.add.at(sums, np.ix_(*places), g)
    before = g.copy()
    np.testing.assert_array_equal(folded(g, paddings, beyond), sums, strict=True)
    np.testing.assert_array_equal(g, before)


def test_no_axis() -> None:
    for both in (mirrored, folded):
        np.testing.assert_array_equal(both(np.array(3.0), (), 1), np.array(3.0), strict=True)


@pytest.mark.parametrize("dtype", ["bool", "int32", "float16", "complex64", "object"])
def test_every_dtype(dtype: str) -> None:
    x = np.arange(6).astype(dtype).reshape(2, 3)
    np.testing.assert_array_equal(mirrored(x, ((1, 0), (0, 2)), 1), np.pad(x, ((1, 0), (0, 2)), "reflect"), strict=True)
