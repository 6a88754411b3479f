"""Two arrays and the labels of their axes -> their `einsum`, by batched matrix products where that is faster.

NumPy's `einsum` of two arrays with batch axes, as in attention, never calls BLAS.
"""

from __future__ import annotations

from math import prod
from typing import Any

from tapeviz.engine.kernels import silent

MANY = 8192
"""The number of multiplications from which on this is faster than NumPy's `einsum`."""


def contracted(x: Any, y: Any, left: str, right: str, result: str) -> Any:
    """What `np.einsum(f"{left},{right}->{result}", x, y)` gives; each label stands but once in each.

    >>> import numpy as np
    >>> contracted(np.ones((2, 3)), np.ones((3, 4)), "ij", "jk", "ik").shape
    (2, 4)
    """
    if x.size * y.size < MANY or x.dtype.char not in "fdFD" or x.dtype != y.dtype:
        return silent.einsum(f"{left},{right}->{result}", x, y)
    lengths = dict(zip(left + right, x.shape + y.shape, strict=True))
    batch = [label for label in result if label in left and label in right]
    summed = [label for label in left if label in right and label not in result]
    rows = [label for label in result if label not in right]
    columns = [label for label in result if label not in left]
    many, tall, deep, wide = (prod([lengths[label] for label in each]) for each in (batch, rows, summed, columns))
    whole = len(batch + rows + summed) == len(left) and len(batch + summed + columns) == len(right)
    fits = all(length == lengths[label] for label, length in zip(left, x.shape, strict=True))  # none is stretched
    if not (whole and fits) or many * tall * deep * wide < MANY or deep == 1 or tall * wide == 1:
        return silent.einsum(f"{left},{right}->{result}", x, y)
    stacked = _arranged(x, left, batch + rows + summed).reshape(many, tall, deep)
    product = stacked @ _arranged(y, right, batch + summed + columns).reshape(many, deep, wide)
    made = batch + rows + columns
    return _arranged(product.reshape([lengths[label] for label in made]), made, result)


def _arranged(x: Any, labels: Any, order: Any) -> Any:
    """The array with its axes, which have these labels, in another order."""
    return x.transpose([labels.index(label) for label in order])
