"""The elementary functions and sums of few numbers, bit by bit beside TensorFlow's."""

import numpy as np
import pytest

from tapeviz.engine.kernels import elementary
from tapeviz.engine.kernels.eigen_math import FEW
from tapeviz.engine.kernels.eigen_sums import folded
from tapeviz.engine.kernels.reduce import added, reduced
from tests.engine.kernels.bits import ON_TENSORFLOWS_MACHINE, same_bits, tf

pytestmark = ON_TENSORFLOWS_MACHINE

RANGES = {"log": (0, 20), "log1p": (-1, 20), "asin": (-1, 1), "acos": (-1, 1), "atanh": (-1, 1), "acosh": (1, 30)}
NAMES = (
    *("exp", "expm1", "log", "log1p", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sigmoid"),
)
SIZES = (1, 2, 3, 4, 7, 8, 9, 15, 16, 31, FEW)
EDGES = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, np.inf, -np.inf, np.nan, 1e-5, -1e-5, 60.0, -60.0, 7.9, 16.7, 1e5)
APPROXIMATE = {("atan", "float32"): 1}
"""Beyond 1 TensorFlow takes the reciprocal that the processor gives, which differs from maker to maker."""


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", NAMES)
def test_few_numbers_have_the_bits_of_tensorflows(name, dtype):
    rng = np.random.default_rng(0)
    low, high = RANGES.get(name, (-20, 20))
    bound = APPROXIMATE.get((name, dtype), np.inf)
    for size in SIZES:
        x = rng.uniform(max(low, -bound), min(high, bound), size).astype(dtype)
        same_bits(getattr(elementary, name)(x), getattr(tf.math, name)(x).numpy())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", NAMES)
def test_edges_have_the_bits_of_tensorflows(name, dtype):
    ours, theirs = getattr(elementary, name), getattr(tf.math, name)
    for edge in EDGES:
        if abs(edge) > APPROXIMATE.get((name, dtype), np.inf):
            continue
        for count in (1, 9):
            x = np.full(count, edge, dtype)
            same_bits(np.asarray(ours(x)), theirs(x).numpy())


@pytest.mark.parametrize("name", NAMES)
def test_single_numbers_have_nearly_the_bits_of_tensorflows(name):
    """Those that Python has functions of are theirs but for the last digit of one in a hundred."""
    rng = np.random.default_rng(1)
    low, high = RANGES.get(name, (-20, 20))
    xs = rng.uniform(low, high, 1000).astype(np.float32)
    ours = np.array([getattr(elementary, name)(x) for x in xs])
    theirs = np.array([getattr(tf.math, name)(x).numpy() for x in xs[:, None].copy()])[:, 0]
    assert ours.dtype == np.float32
    np.testing.assert_array_max_ulp(ours, theirs, 1)
    assert np.mean(ours == theirs) >= (0.98 if hasattr(getattr(elementary, name), "quick") else 1)


def test_many_numbers_are_numpys():
    x = np.linspace(-3, 3, FEW + 1, dtype=np.float32)
    np.testing.assert_array_equal(elementary.exp(x), np.exp(x))


def test_other_dtypes_are_numpys():
    for dtype in ("complex64", "complex128", "float16"):
        x = np.linspace(-3, 3, 9).astype(dtype)
        np.testing.assert_array_equal(elementary.exp(x), np.exp(x))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 11, 16, 31, 32, 37, 64])
def test_sums_and_products_have_the_bits_of_tensorflows(count, dtype):
    rng = np.random.default_rng(count)
    for shape in ((1, count, 1), (3, count, 1), (1, count, 3), (1, count, 8), (1, count, 19), (2, min(count, 15), 9)):
        x = rng.uniform(-3, 3, shape).astype(dtype)
        same_bits(folded(np.add, x), tf.reduce_sum(x, 1).numpy())
        same_bits(folded(np.multiply, x), tf.reduce_prod(x, 1).numpy())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(2, 16), (3, 9), (3, 2, 5)])
def test_sums_and_products_of_what_is_turned_round(shape, dtype):
    x = np.random.default_rng(0).uniform(-3, 3, shape).astype(dtype).T
    for axis in (None, *range(x.ndim)):
        same_bits(added(x, axis), tf.reduce_sum(x, axis).numpy())
        same_bits(reduced(np.multiply, x, axis), tf.reduce_prod(x, axis).numpy())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        *(((2, 3, 4), (0, 2)), ((8, 2, 2), (-1, 0)), ((2, 1, 16), (0, 2)), ((4, 1, 4, 2), (0, 2))),
        *(((2, 4, 1, 4), (1, 3)), ((2, 2, 2, 4), (3, 1)), ((4, 2, 2, 2), (0, 2)), ((2, 2, 2, 4), (0, 1, 3))),
        *(((2, 2, 1, 2, 2), (1, 3)), ((2, 3, 1, 3, 1), (0, 3, 4)), ((2, 2, 2, 2, 2), (0, 2, 4))),
        ((2, 1, 9, 1), (1, 3)),
    ],
)
def test_sums_and_products_over_axes_apart(shape, axes, dtype):
    for seed in range(10):
        x = np.random.default_rng(seed).uniform(-3, 3, shape).astype(dtype)
        same_bits(added(x, axes, True), tf.reduce_sum(x, axes, True).numpy())
        same_bits(reduced(np.multiply, x, axes), tf.reduce_prod(x, axes).numpy())


ANGLES = (0.0, -0.0, 1.0, -1.0, 1e-30, -1e-30, 1e30, np.inf, -np.inf, np.nan)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_angles_of_points_have_the_bits_of_tensorflows(dtype):
    rng = np.random.default_rng(0)
    for shapes in (((), ()), ((3,), (3,)), ((9,), ()), ((), (7,)), ((4, 1), (1, 7)), ((FEW,), (FEW,)), ((2, 9), (9,))):
        for _ in range(10):
            y, x = (
                np.asarray(rng.uniform(-bound, bound, shape), dtype)[()]
                for bound, shape in zip((3, 9), shapes, strict=True)
            )
            theirs = tf.atan2(y, x).numpy()
            reached = np.broadcast_to(np.abs(y) <= np.abs(x) * APPROXIMATE.get(("atan", dtype), np.inf), theirs.shape)
            same_bits(elementary.atan2(y, x)[reached], theirs[reached])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("count", [1, 8])
def test_angles_at_edges_have_the_bits_of_tensorflows(count, dtype):
    for y in ANGLES:
        for x in ANGLES:
            pair = np.full(count, y, dtype), np.full(count, x, dtype)
            same_bits(elementary.atan2(*pair), tf.atan2(*pair).numpy())
