"""Triangles solved by blocks give what they give row by row, and what they were made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeviz.engine.kernels.triangular_solve import BLOCK, FEW, LONG, substituted

SHAPES: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    *(((1, 1), (1, 2)), ((5, 5), (5, 1)), ((LONG, LONG), (LONG, 3)), ((LONG + 1, LONG + 1), (LONG + 1, 1))),
    *(((2, 3, 40, 40), (2, 3, 40, 2)), ((2, 1, 30, 30), (1, 3, 30, 2)), ((FEW + 1, LONG, LONG), (FEW + 1, LONG, 1))),
    *(((0, LONG, LONG), (0, LONG, 2)), ((LONG, LONG), (LONG, 0)), ((0, 0), (0, 2))),
)


def triangle(shape: tuple[int, ...], dtype: str, lower: bool) -> Any:
    """Well away from singular, with NaN beyond the triangle, which is not looked at."""
    matrix = np.random.default_rng(0).standard_normal(shape).astype(dtype) / shape[-1] + 2 * np.eye(shape[-1])
    beyond = np.triu(np.ones(shape, bool), 1) if lower else np.tril(np.ones(shape, bool), -1)
    return np.where(beyond, np.nan, matrix).astype(dtype)


@pytest.mark.parametrize(("matrix", "rhs"), SHAPES)
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_the_product_is_the_right_side(matrix: Any, rhs: Any, lower: bool, dtype: str) -> None:
    a, b = triangle(matrix, dtype, lower), np.random.default_rng(1).standard_normal(rhs).astype(dtype)
    x = substituted(a, b, lower)
    assert x.dtype == dtype
    assert x.shape == (*np.broadcast_shapes(matrix[:-2], rhs[:-2]), *rhs[-2:])
    product = np.where(np.isnan(a), 0, a).astype(dtype) @ x
    np.testing.assert_allclose(product, np.broadcast_to(b, product.shape), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("lay", [np.asfortranarray, lambda x: x[::-1, ::-1].copy()[::-1, ::-1]])
def test_any_layout_gives_the_same(lower: bool, lay: Any) -> None:
    a, b = triangle((50, 50), "float64", lower), np.ones((50, 7))
    np.testing.assert_allclose(substituted(lay(a), lay(b), lower), substituted(a, b, lower), rtol=1e-12)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("special", [np.nan, np.inf])
def test_what_is_no_number_spreads_no_further_than_row_by_row(lower: bool, special: float) -> None:
    n, at = 3 * BLOCK, BLOCK + 3
    a, b = triangle((n, n), "float32", lower), np.ones((n, 2), np.float32)
    b[at, 0] = special
    finite = np.isfinite(substituted(a, b, lower))
    before = slice(None, at) if lower else slice(at + 1, None)
    assert finite[before].all()
    assert finite[:, 1].all()
    assert not finite[at, 0]


@pytest.mark.parametrize("n", [2, LONG])
def test_a_zero_on_the_diagonal_gives_what_division_gives(n: int) -> None:
    a, b = np.eye(n, dtype=np.float32), np.ones((n, 1), np.float32)
    a[-1, -1] = 0
    expected = b.copy()
    expected[-1] = np.inf
    np.testing.assert_array_equal(substituted(a, b, True), expected)


def test_factors_of_nearly_singular_matrices_are_solved_exactly() -> None:
    at = np.linspace(0, 1, 60)
    factor = np.linalg.cholesky(np.exp(-((at[:, None] - at) ** 2) / 0.02) + 1e-6 * np.eye(60))
    b = np.random.default_rng(0).standard_normal((60, 3))
    x = substituted(factor.astype(np.float32), b.astype(np.float32), True)
    off = abs(factor @ x - b).max() / (abs(factor).max() * abs(x).max())
    assert off < 3e-6
