"""Of two zeros, the larger and the smaller have the signs of TensorFlow's, and so has all that is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeviz
from tapeviz.engine.kernels.eigen_math import FEW
from tapeviz.engine.kernels.extremes import larger, smaller
from tests.engine.kernels.bits import ON_TENSORFLOWS_MACHINE, same_bits, tf

pytestmark = ON_TENSORFLOWS_MACHINE

DTYPES = ("float32", "float64", "float16")
SHAPES: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    *[((count,), (count,)) for count in (1, 3, 4, 7, 8, 9, 16, 23, FEW)],
    *(((3,), ()), ((), (11,)), ((3, 1), (1, 4)), ((2, 3), (3,)), ((0,), ()), ((), ())),
)
OF_ZEROS = {
    "relu": lambda tf, x: tf.nn.relu(x),
    "relu6": lambda tf, x: tf.nn.relu6(x),
    "crelu": lambda tf, x: tf.nn.crelu(x),
    "clip": lambda tf, x: tf.clip_by_value(x, tf.zeros([], x.dtype), tf.ones([], x.dtype)),
    "maximum of zero": lambda tf, x: tf.maximum(tf.zeros([], x.dtype), x),
    "minimum by zero": lambda tf, x: tf.minimum(x, tf.zeros([], x.dtype)),
    "cumsum": lambda tf, x: tf.cumsum(x),
    "exclusive": lambda tf, x: tf.cumsum(x, exclusive=True, reverse=True),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_zeros_of_two_signs(shapes: tuple[Any, Any], dtype: str) -> None:
    for first in (0.0, -0.0):
        x, y = np.full(shapes[0], first, dtype)[()], np.full(shapes[1], -first, dtype)[()]
        theirs = [tf.constant(np.asarray(each)) for each in (x, y)]  # 0.0 and -0.0 are one in its cache of numbers
        same_bits(np.asarray(larger(x, y)), tf.maximum(*theirs).numpy())
        same_bits(np.asarray(smaller(x, y)), tf.minimum(*theirs).numpy())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray], ids=["by rows", "by columns"])
def test_other_numbers_are_numpys(dtype: str, layout: Any) -> None:
    rng = np.random.default_rng(0)
    edges = np.array([np.nan, np.inf, -np.inf, 1, 2], dtype)
    for shape in ((2, 3), (3, 5), (7, 9)):
        x, y = (layout(rng.choice(edges, shape)) for _ in "xy")
        np.testing.assert_array_equal(larger(x, y), np.maximum(x, y), strict=True)
        np.testing.assert_array_equal(smaller(x, y), np.minimum(x, y), strict=True)
    for a in edges:
        for b in edges:
            np.testing.assert_array_equal(larger(a, b), np.maximum(a, b), strict=True)
            np.testing.assert_array_equal(smaller(a, b), np.minimum(a, b), strict=True)


@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
@pytest.mark.parametrize("function", OF_ZEROS.values(), ids=OF_ZEROS)
def test_what_is_made_of_them(function: Any, dtype: str) -> None:
    for count in (1, 5, 9):
        zeros = np.where(np.arange(count) % 2, 0.0, -0.0)
        ours, theirs = (
            library.cast(function(library, library.cast(zeros, dtype)), "float32").numpy() for library in (tapeviz, tf)
        )
        same_bits(ours, theirs)
