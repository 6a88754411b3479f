"""The error functions of numbers, bit by bit beside TensorFlow's."""

import math

import numpy as np
import pytest

from tapeviz.engine.kernels.eigen_math import FEW
from tapeviz.engine.kernels.erf import erf, erfc
from tests.engine.kernels.bits import ON_TENSORFLOWS_MACHINE, same_bits, tf

FUNCTIONS = pytest.mark.parametrize(("ours", "theirs"), [(erf, "erf"), (erfc, "erfc")])
DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])
EDGES = (0.0, -0.0, 0.5, 1.0, -1.0, 1.0000001, -1.5, 11.0, -12.0, 28.0, -29.0, 1e-30, 1e30, -1e30)


def _reached(name, x):
    """Not there: what is made of the reciprocal that the processor gives, which differs from maker to maker."""
    return np.abs(x) <= 1 if name == "erfc" and x.dtype == np.float32 and x.size >= 8 else np.full(x.shape, True)


@ON_TENSORFLOWS_MACHINE
@DTYPES
@FUNCTIONS
def test_few_numbers_have_the_bits_of_tensorflows(ours, theirs, dtype):
    rng = np.random.default_rng(0)
    for shape in ((), 1, 3, 4, 7, (2, 4), 9, 25, FEW):
        for bound in (1, 5, 8):
            x = np.asarray(rng.uniform(-bound, bound, shape), dtype)[()]
            where = _reached(theirs, x)
            same_bits(ours(x)[where], getattr(tf.math, theirs)(x).numpy()[where])


@ON_TENSORFLOWS_MACHINE
@DTYPES
@FUNCTIONS
def test_edges_have_the_bits_of_tensorflows(ours, theirs, dtype):
    for edge in (*EDGES, np.inf, -np.inf, np.nan):
        for count in (1, 9):
            x = np.full(count, edge, dtype)
            same_bits(ours(x), getattr(tf.math, theirs)(x).numpy())


@DTYPES
@pytest.mark.parametrize(("ours", "pythons"), [(erf, math.erf), (erfc, math.erfc)])
def test_many_numbers_are_nearly_those_of_python(ours, pythons, dtype):
    x = np.concatenate([np.linspace(-9, 9, 20_001), np.logspace(-30, 0, 301), EDGES]).astype(dtype)
    found, expected = ours(x), np.array([pythons(number) for number in x])
    assert found.dtype == dtype
    np.testing.assert_allclose(
        found, expected, rtol=8 * np.finfo(dtype).eps, atol=1e-300 if dtype == "float64" else 1e-37
    )


@FUNCTIONS
def test_numbers_of_16_bits_are_rounded_in_the_end(ours, theirs):
    x = np.linspace(-4, 4, 33).astype(np.float16)
    same_bits(ours(x), ours(x.astype(np.float32)).astype(np.float16))
