"""The logarithm of the gamma function and its derivatives, of few numbers bit by bit beside TensorFlow's."""

import numpy as np
import pytest

import tapeviz
from tapeviz.engine.kernels.eigen_math import FEW
from tapeviz.engine.kernels.gamma import digamma, lgamma, polygamma
from tests.engine.kernels.bits import ON_TENSORFLOWS_MACHINE, same_bits, tf

DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])
FUNCTIONS = pytest.mark.parametrize(("ours", "name"), [(lgamma, "lgamma"), (digamma, "digamma")])
RANGES = ((0.01, 1), (0.5, 10), (5, 1000), (-8, 0))
EDGES = (
    *(0.0, -0.0, 1.0, 2.0, 3.0, 0.5, 1.5, 10.0, 9.9999, 170.0, 1e5, 1e8, 1e17, 1e30, 1e-30, 1e-5),
    *(-1.0, -2.0, -0.5, -1.5, -2.5, -1000.0, -1000.3, -1e30, -1e-5, np.inf, -np.inf, np.nan),
)


@ON_TENSORFLOWS_MACHINE
@DTYPES
@FUNCTIONS
def test_few_numbers_have_the_bits_of_tensorflows(ours, name, dtype):
    rng = np.random.default_rng(0)
    for shape in ((), 3, 8, (2, 5), FEW):
        for low, high in RANGES:
            x = np.asarray(rng.uniform(low, high, shape), dtype)[()]
            same_bits(ours(x), getattr(tf.math, name)(x).numpy())


@ON_TENSORFLOWS_MACHINE
@DTYPES
@FUNCTIONS
def test_edges_have_the_bits_of_tensorflows(ours, name, dtype):
    x = np.array(EDGES, dtype)
    same_bits(ours(x), getattr(tf.math, name)(x).numpy())


@ON_TENSORFLOWS_MACHINE
@DTYPES
@pytest.mark.parametrize("order", [0, 1, 2, 3, 6, -1, 0.5])
def test_further_derivatives_have_the_bits_of_tensorflows(order, dtype):
    rng = np.random.default_rng(0)
    a = np.array(order, dtype)
    for shape in ((), 3, (2, 5), FEW):
        for low, high in RANGES:
            x = np.asarray(rng.uniform(low, high, shape), dtype)[()]
            same_bits(polygamma(a, x), tf.math.polygamma(np.full_like(x, order), x).numpy())
    x = np.array(EDGES, dtype)
    same_bits(polygamma(a, x), tf.math.polygamma(np.full_like(x, order), x).numpy())


@DTYPES
@FUNCTIONS
def test_many_numbers(ours, name, dtype):
    x = np.concatenate([np.linspace(-9.9, 40, 1999), np.linspace(0.9, 2.1, 121), np.logspace(-20, 20, 99), EDGES])
    x = x.astype(dtype)
    few = np.concatenate([ours(x[i : i + FEW]) for i in range(0, len(x), FEW)])
    near = 10 * np.finfo(dtype).eps
    np.testing.assert_allclose(ours(x), few, rtol=near, atol=near)
    finite = np.isfinite(few)
    np.testing.assert_allclose(ours(x[finite]), few[finite], rtol=near, atol=near)


def test_the_logarithm_of_many_is_0_where_it_is():
    np.testing.assert_array_equal(lgamma(np.resize(np.float32([1, 2]), FEW + 2)), 0)


@pytest.mark.parametrize("module", [tapeviz, tf], ids=["tapeviz", "tensorflow"])
def test_the_slope_of_digamma_is_not_one_of_16_bits(module):
    x = module.constant([0.5, 3.0], "float16")
    with module.GradientTape() as tape:
        tape.watch(x)
        y = module.math.digamma(x)
    with pytest.raises(module.errors.InvalidArgumentError, match=r"half|float16"):
        tape.gradient(y, x)
