"""Rows of logits -> their softmax, with exactly TensorFlow's digits if they are few: oneDNN's or Eigen's.

oneDNN has an exponential of its own (`jit_uni_eltwise_injector`) with fused multiply-adds, which are worked out in
float64 here and rounded once. It adds up a row in one register of 16 numbers, which is folded in half at the end. In a
row with NaN or infinity, that element is NaN and all others are 0: to oneDNN, exp(NaN) is infinite.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.kernels import elementary
from tapeviz.engine.kernels.eigen_math import LOG2E, constants
from tapeviz.engine.kernels.eigen_sums import halved
from tapeviz.engine.kernels.elementwise import flush, is_few
from tapeviz.engine.kernels.reduce import added, reduced
from tapeviz.engine.specs.dtypes import Array

_LANES = 16
_LOWEST, _LOG2E, _HALF = constants("f", -87.3, LOG2E, 0.5)
_LN2 = np.float64(np.float32(-0.693147182))
_POLYNOMIAL = tuple(
    each.astype(np.float64)
    for each in constants("f", 0.00828929059, 0.0418978221, 0.166676521, 0.499991506, 0.999999702, 1.0)
)


def softmax(x: Any) -> Any:
    """The exponentials of each row of the last axis over their sum; few numbers with exactly TensorFlow's digits.

    >>> softmax(np.array([0.0, 0.0]))
    array([0.5, 0.5])
    """
    away = x - reduced(np.maximum, x, -1, keepdims=True) if x.size else x
    single = x.dtype.char == "f"
    if is_few(x):
        powers = _exp(away) if single else elementary.exp(away)
        total = _total(powers) if single else added(powers, -1, keepdims=True)
        shares = powers * (1 / total)
    else:
        powers = np.exp(away)
        total = added(powers, -1, keepdims=True)
        powers /= total
        shares = powers
    if single and np.isnan(total).any():
        spoilt = np.isnan(x) | (x == np.inf)
        shares[spoilt.any(-1, keepdims=True) & ~spoilt] = 0
    return flush(shares)


def _exp(x: Array) -> Any:
    """The exponentials of numbers that are not above 0."""
    power = np.floor(np.maximum(x, _LOWEST) * _LOG2E + _HALF)
    r = _rounded(power * _LN2 + x)
    found = _POLYNOMIAL[0]
    for each in _POLYNOMIAL[1:]:
        found = _rounded(found * r + each)
    found = np.ldexp(found.astype(np.float32), power.astype(np.intc))
    return np.where(x < _LOWEST, np.float32(0), found)


def _rounded(x: Array) -> Any:
    """Rounded to float32, in a float64."""
    return x.astype(np.float32).astype(np.float64)


def _total(powers: Array) -> Any:
    """The sum of each row; its axis is kept."""
    rows, count = powers.reshape(-1, powers.shape[-1]), powers.shape[-1]
    lanes = np.zeros((len(rows), -(-count // _LANES) * _LANES), powers.dtype)
    lanes[:, :count] = rows
    found = np.add.reduce(lanes.reshape(len(rows), -1, _LANES), 1)
    return halved(np.add, found).reshape(*powers.shape[:-1], 1)
