"""Eigenvectors of symmetric matrices have the signs that TensorFlow gives them."""

from __future__ import annotations

import numpy as np
import pytest

from tapeviz.engine.kernels.tridiagonal_eigh import LARGEST, eigh

SINGLE = ("float32", "complex64")


def _symmetric(size: int, dtype: str) -> np.ndarray:
    random = np.random.default_rng(size)
    x = random.standard_normal((size, size)).astype(dtype)
    if x.dtype.kind == "c":
        x += (1j * random.standard_normal((size, size))).astype(dtype)
    return x + x.conj().T


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, LARGEST])
def test_what_is_symmetric_is_put_together_again(size, dtype):
    x = _symmetric(size, dtype)
    values, vectors = eigh(x)
    assert (values.dtype, vectors.dtype) == (x.real.dtype, x.dtype)
    assert np.all(np.diff(values) >= 0)
    close = {"rtol": 0, "atol": 3e3 * np.finfo(dtype).eps}
    np.testing.assert_allclose(vectors * values @ vectors.conj().T, x, **close)
    np.testing.assert_allclose(vectors.conj().T @ vectors, np.eye(size), **close)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("size", range(1, 7))
def test_signs_are_those_of_tensorflow(size, dtype):
    tf = pytest.importorskip("tensorflow")
    correlated = np.cov(np.random.default_rng(size).standard_normal((size + 1, 40)))
    known = [_symmetric(size, dtype), correlated.astype(dtype), np.eye(size, dtype=dtype)]
    if dtype not in SINGLE:  # in which rounding decides how often the even rows of this one are turned
        known.append((2 * np.eye(size) - np.eye(size, k=1) - np.eye(size, k=-1)).astype(dtype))
    for x in known:
        for ours, theirs in zip(eigh(x), tf.linalg.eigh(x), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-3 if dtype in SINGLE else 1e-9)
