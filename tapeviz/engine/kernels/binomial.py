"""A Philox stream -> binomial samples, the same numbers that TensorFlow draws.

With few expected successes, the geometric gaps between them are added up; with many, samples come from Hoermann's
transformed rejection (BTRS, 1993).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor, log, log1p, nan, sqrt
from typing import Any

import numpy as np

from tapeviz.engine.kernels.philox import Philox
from tapeviz.engine.specs.dtypes import Array

_APART = {True: 256, False: 42}
"""How many counts of the stream a sample takes: if many successes are expected, and if few."""
_AT_ONCE = 8
"""How many counts are converted to fractions at a time."""
_MANY = 10
"""The number of expected successes from which on they are not counted one by one."""
_STIRLING = (
    *(0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.0207906721037650, 0.0166446911898211),
    *(0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.0092554621827127, 0.0083305634333628),
)
"""The error of Stirling's formula for log k!, for k = 0, 1, ..."""


def binomial(source: Philox, trials: Array, chances: Array, samples: int) -> Any:
    """Samples for each pair of a number of trials and a chance of success, in an array of shape (samples, pairs)."""
    drawn = [
        _drawn(source, pair * samples + sample, n, p)
        for pair, (n, p) in enumerate(zip(trials, chances, strict=True))
        for sample in range(samples)
    ]
    return np.array(drawn, np.float64).reshape(len(trials), samples).T


def _fractions(source: Philox, count: int) -> Iterator[float]:
    """Uniform fractions; each count gives two, the second of which comes first."""
    while True:
        yield from source.behind(count).random((_AT_ONCE, 2), np.float64)[:, ::-1].reshape(-1).tolist()
        count += _AT_ONCE


def _drawn(source: Philox, place: int, n: Array, p: Array) -> float:
    """One sample, at a place of the stream; if failures are less likely than successes, these are drawn."""
    if n != n or p != p:
        return nan
    if n <= 0 or p <= 0:
        return 0.0
    if p >= 1:
        return float(n)
    rare = min(p, 1 - p)
    many = bool(n * rare >= _MANY)  # in the precision that they are given in
    fractions = _fractions(source, _APART[many] * place)
    found = (_rejected if many else _counted)(fractions, float(n), float(rare))
    return float(n) - found if p > 0.5 else found


def _counted(fractions: Iterator[float], n: float, p: float) -> float:
    """The number of successes whose geometric gaps fit into the trials."""
    passed = found = 0
    while True:
        passed += ceil(log(next(fractions)) / log1p(-p))
        if passed > n:
            return float(found)
        found += 1


def _rejected(fractions: Iterator[float], n: float, p: float) -> float:
    """The first candidate near the mean that is not rejected."""
    deviation = sqrt(n * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    centre, odds = n * p + 0.5, p / (1 - p)
    alpha, likeliest = (2.83 + 5.1 / b) * deviation, floor((n + 1) * p)
    while True:
        u, v = next(fractions) - 0.5, next(fractions)
        inner = 0.5 - abs(u)
        k = floor((2 * a / inner + b) * u + centre)
        if inner >= 0.07 and v <= 0.92 - 4.2 / b:
            return float(k)
        if not 0 <= k <= n:
            continue
        v = log(v * alpha / (a / (inner * inner) + b))
        bound = (
            (likeliest + 0.5) * log((likeliest + 1) / (odds * (n - likeliest + 1)))
            + (n + 1) * log((n - likeliest + 1) / (n - k + 1))
            + (k + 0.5) * log(odds * (n - k + 1) / (k + 1))
            + (_tail(likeliest) + _tail(n - likeliest) - _tail(k) - _tail(n - k))
        )
        if v <= bound:
            return float(k)


def _tail(k: float) -> float:
    """The error of Stirling's formula for log k!."""
    if k < len(_STIRLING):
        return _STIRLING[int(k)]
    square = (k + 1) * (k + 1)
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
