"""Choosing by masks of bits gives what `np.where` gives, and what is passed on is what NumPy's product gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeviz.engine.kernels.where import MANY, passed, select


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "bool", "complex64"])
@pytest.mark.parametrize("shapes", [((MANY,), (MANY,)), ((MANY, 3), (3,)), ((MANY, 1), ()), ((3,), (3,)), ((), ())])
def test_every_number(dtype: str, shapes: tuple[Any, Any]) -> None:
    random = np.random.default_rng(0)
    x, y = (random.integers(-3, 4, shape).astype(dtype)[()] for shape in shapes)
    condition = random.random(shapes[0]) < 0.5
    np.testing.assert_array_equal(select(condition, x, y), np.where(condition, x, y), strict=True)


def test_nan_infinity_and_the_sign_of_zero() -> None:
    x = np.resize(np.array([np.nan, np.inf, -np.inf, -0.0, 0.0], np.float32), MANY)
    condition = np.arange(MANY) % 2 == 0
    assert select(condition, x, -x).tobytes() == np.where(condition, x, -x).tobytes()


def test_two_dtypes_are_promoted() -> None:
    condition = np.ones(MANY, bool)
    assert select(condition, np.zeros(MANY, np.float32), np.float64(1)).dtype == np.float64


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "uint8", "complex64"])
@pytest.mark.parametrize(
    "shapes", [((40, 3), (40, 3)), ((2, 4, 3), (4, 3)), ((4, 1), (1, 3)), ((0, 3), (0, 3)), ((), ())]
)
@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray, lambda x: np.broadcast_to(x[:1], x.shape)])
def test_what_is_passed_on_is_the_product(dtype: str, shapes: tuple[Any, Any], layout: Any) -> None:
    random = np.random.default_rng(0)
    x = random.integers(0, 4, shapes[0]).astype(dtype)
    x = layout(x) if x.shape else x[()]
    condition = random.random(shapes[1]) < 0.5
    np.testing.assert_array_equal(passed(x, condition), x * condition, strict=True)


def test_what_is_no_number_is_not_stopped() -> None:
    x = np.array([np.nan, np.inf, -np.inf, -0.0, -1.0] * 2, np.float32)
    condition = np.arange(10) < 5
    with np.errstate(invalid="ignore"):
        assert passed(x, condition).tobytes() == (x * condition).tobytes()
