"""Powers of few numbers, bit by bit beside TensorFlow's."""

import numpy as np
import pytest

from tapeviz.engine.kernels.eigen_math import FEW
from tapeviz.engine.kernels.powers import power
from tests.engine.kernels.bits import ON_TENSORFLOWS_MACHINE, same_bits, tf

DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])
EDGES = (
    *(0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 1.5, -2.5, 0.1, 8.0, 99.0, 101.0, 2.0**24, 1.0000001),
    *(1 - 2.0**-24, 1e9, -1e9, 1e19, 1e30, np.inf, -np.inf, np.nan),
)
SHAPES = [
    *(((), ()), ((3,), ()), ((7,), (7,)), ((8,), ()), ((), (9,)), ((30,), ()), ((FEW,), (FEW,)), ((20,), (1,))),
    *(((3, 7), (7,)), ((3, 1), (1, 7)), ((2, 3, 5), (2, 1, 5)), ((2, 1, 3, 2), (1, 2, 3, 1))),
]


@ON_TENSORFLOWS_MACHINE
@DTYPES
@pytest.mark.parametrize("exponent", [2, 3, 0.5, -1, -0.5, 1, 0, 7.3])
def test_powers_with_one_exponent_have_the_bits_of_tensorflows(exponent, dtype):
    rng = np.random.default_rng(0)
    for size in (1, 3, 4, 7, 8, 13, 30, FEW) if dtype == "float32" else (1, 3):
        x, y = rng.uniform(0, 10, size).astype(dtype), np.dtype(dtype).type(exponent)
        same_bits(power(x, y), tf.pow(x, y).numpy())
        if exponent == int(exponent):
            same_bits(power(-x, y), tf.pow(-x, y).numpy())
    for first in range(1, 101, FEW) if dtype == "float32" else ():
        whole = np.arange(first, first + FEW, dtype=dtype)
        same_bits(power(whole, y), tf.pow(whole, y).numpy())


@ON_TENSORFLOWS_MACHINE
@pytest.mark.parametrize("shapes", SHAPES)
def test_powers_of_two_shapes_have_the_bits_of_tensorflows(shapes):
    rng, dtype = np.random.default_rng(1), "float32"
    for _ in range(20):
        x, y = (np.asarray(rng.uniform(low, 9, shape), dtype)[()] for low, shape in zip((0, -9), shapes, strict=True))
        same_bits(power(x, y), tf.pow(x, y).numpy())


@ON_TENSORFLOWS_MACHINE
@pytest.mark.parametrize(("count", "dtype"), [(1, "float32"), (8, "float32"), (1, "float64")])
def test_edges_have_the_bits_of_tensorflows(count, dtype):
    tiny = np.finfo(dtype).tiny
    for base in EDGES:
        for exponent in EDGES:
            x, y = np.full(count, base, dtype), np.full(count, exponent, dtype)
            theirs = tf.pow(x, y).numpy()
            ours = power(x, y)
            same_bits(np.where(np.abs(ours) < tiny, np.copysign(0, ours).astype(dtype), ours), theirs)


@ON_TENSORFLOWS_MACHINE
def test_registers_of_float64_go_by_the_c_library():
    x, y = np.random.default_rng(2).uniform(0, 10, (2, FEW))
    np.testing.assert_allclose(power(x, y), tf.pow(x, y).numpy(), rtol=1e-14)


def test_others_are_numpys():
    x = np.linspace(0, 9, FEW + 1, dtype=np.float32)
    np.testing.assert_array_equal(power(x, np.float32(3)), x ** np.float32(3))
    for dtype in ("float16", "int32", "complex64"):
        x = np.arange(1, 7).astype(dtype)
        same = power(x, x)
        assert same.dtype == dtype
        np.testing.assert_array_equal(same, x**x)
    with pytest.raises(ValueError, match="broadcast"):
        power(np.ones(2), np.ones(3))
