"""Sums of products as batched matrix products give what `np.einsum` gives."""

from __future__ import annotations

import numpy as np
import pytest

from tapeviz.engine.kernels.einsum import contracted

LENGTHS = {"a": 7, "b": 6, "c": 5, "d": 9, "i": 40, "j": 30, "k": 20, "m": 1}

EQUATIONS = (
    *("ij,jk->ik", "ij,jk->ki", "ji,jk->ik", "ij,kj->ik", "ij,jk->ijk", "ij,ij->ij", "ij,ij->", "ij,ij->i", "ij,jk->i"),
    *("aij,ajk->aik", "aij,ajk->ika", "iaj,kaj->aik", "abij,abjk->abik", "bcid,baid->bica"),
    *("aij,jk->aik", "aij,akj->i", "abc,cdi->abdi", "abij,ji->ab", "i,j->ij", "ij,j->i", "i,i->", "aij,aj->ai"),
    *("mij,mjk->mik", "ijm,jkm->ik", "ij,ak->ijak", "aij,bjk->ik"),
)


@pytest.mark.parametrize("equation", EQUATIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int64"])
def test_every_kind_of_label(equation: str, dtype: str) -> None:
    left, right, result = equation.replace("->", ",").split(",")
    random = np.random.default_rng(0)
    x, y = (random.integers(-3, 4, [LENGTHS[label] for label in labels]).astype(dtype) for labels in (left, right))
    np.testing.assert_array_equal(contracted(x, y, left, right, result), np.einsum(equation, x, y))


@pytest.mark.parametrize(("x", "y"), [((1, 40, 30), (7, 30, 20)), ((7, 40, 1), (7, 30, 20)), ((7, 0, 30), (7, 30, 0))])
def test_lengths_that_are_stretched_or_nothing(x: tuple[int, ...], y: tuple[int, ...]) -> None:
    left, right = np.ones(x), np.ones(y)
    expected = np.einsum("aij,ajk->aik", left, right)
    np.testing.assert_array_equal(contracted(left, right, "aij", "ajk", "aik"), expected)


def test_arrays_that_lie_otherwise() -> None:
    x, y = np.ones((30, 40, 7)).T, np.ones((20, 30, 14))[..., ::2].T
    expected = np.einsum("aij,ajk->aik", x, y)
    np.testing.assert_array_equal(contracted(x, y, "aij", "ajk", "aik"), expected)
