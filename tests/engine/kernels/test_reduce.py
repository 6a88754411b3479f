"""Reductions that go another way than NumPy's give what NumPy's give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeviz.engine.kernels.eigen_math import FEW
from tapeviz.engine.kernels.reduce import LONG, MANY, SHORT, VERY_MANY, added, added_ahead, reduced

SHAPES = (
    *((MANY, 1), (MANY, 3), (3, MANY), (MANY, LONG), (40, SHORT + 1, 3), (8, 20, 20, 5), (1, MANY)),
    *((VERY_MANY // LONG, LONG), (3, VERY_MANY // 3 + 1)),
    *((2, 3), (0, 3), (FEW, 1), (FEW // 8, 8)),
)
AXES = (None, 0, -1, 1, (0, 1), (-2, -1), (1, 0), ())
SPECIAL = (np.nan, np.inf, -np.inf)


def numbers(shape: tuple[int, ...], dtype: str = "float32") -> Any:
    return np.random.default_rng(0).integers(-3, 4, shape).astype(dtype)  # of which sums are exact


@pytest.mark.parametrize("shape", SHAPES)
@given(st.sampled_from(AXES), st.booleans(), st.sampled_from(["float32", "float64", "int32", "complex64"]))
def test_sums_are_those_of_numpy(shape: tuple[int, ...], axis: Any, keepdims: bool, dtype: str) -> None:
    x = numbers(shape, dtype)
    sums = added(x, axis, keepdims)
    np.testing.assert_array_equal(sums, np.add.reduce(x, axis, x.dtype, None, keepdims), strict=True)


@pytest.mark.parametrize(("shape", "axes"), [(shape, axes) for shape in SHAPES for axes in range(1, len(shape) + 1)])
@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray])
def test_sums_over_the_first_axes(shape: tuple[int, ...], axes: int, layout: Any) -> None:
    x = layout(numbers(shape))
    np.testing.assert_array_equal(added_ahead(x, axes), np.add.reduce(x, tuple(range(axes))), strict=True)


@pytest.mark.parametrize(
    "shape", [(MANY, 3), (MANY, SHORT), (MANY, SHORT + 1), (3, MANY), (20, 30, 10), (MANY, 3, 5), (FEW // 8, 8)]
)
@given(
    st.sampled_from([np.maximum, np.minimum, np.multiply, np.logical_or]),
    st.sampled_from([-1, (1,), (-2, -1), 0, None, ()]),
    st.booleans(),
)
def test_extrema_and_products_are_those_of_numpy(shape: tuple[int, ...], ufunc: Any, axis: Any, keepdims: bool) -> None:
    x = numbers(shape) if ufunc is not np.logical_or else numbers(shape) > 2
    found = reduced(ufunc, x, axis, keepdims)
    np.testing.assert_array_equal(found, ufunc.reduce(x, axis, x.dtype, None, keepdims), strict=True)


@pytest.mark.parametrize("special", SPECIAL)
@pytest.mark.parametrize("axis", [0, 1])
def test_what_is_no_number_stays_in_its_row(special: float, axis: int) -> None:
    x = numbers((MANY, 3))
    x[5, 1] = special
    np.testing.assert_array_equal(added(x, axis), np.add.reduce(x, axis))
    np.testing.assert_array_equal(reduced(np.maximum, x, axis), np.maximum.reduce(x, axis))


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda x: x[::2], lambda x: x[:, ::-1]])
def test_arrays_of_any_layout(layout: Any) -> None:
    x = layout(numbers((2 * MANY, 4)))
    for axis in (0, 1):
        np.testing.assert_array_equal(added(x, axis), np.add.reduce(x, axis))
        np.testing.assert_array_equal(reduced(np.maximum, x, axis), np.maximum.reduce(x, axis))


@pytest.mark.parametrize(
    ("shape", "axis"), [((40_000, 3), 0), ((40_000, 3), 1), ((50, LONG), 1), ((30, 400, 5), 1), ((40_000, 3), None)]
)
def test_a_product_rounds_no_more_than_numpy(shape: tuple[int, ...], axis: int) -> None:
    random = np.random.default_rng(0)
    drawn = [random.standard_normal(shape, np.float32) for _ in range(20)]

    def off(summed: Any) -> Any:
        return np.mean([np.abs(summed(x, axis) - x.astype(np.float64).sum(axis)).mean() for x in drawn])

    assert off(added) <= 1.5 * off(np.add.reduce)


def test_an_axis_that_is_not_there() -> None:
    with pytest.raises(np.exceptions.AxisError, match="axis 2 is out of bounds"):
        added(numbers((MANY, 3)), 2)
