"""Two matrices -> their product, by `dot` or as the transpose of the transposed product where that is faster than `@`.

The commonest product of a backward pass, a few rows of gradients times transposed weights, is OpenBLAS's slowest: it
packs a transposed matrix number by number, and multiplies small ones unpacked, along columns. Turned round, only the
few rows are transposed; small weights are transposed in memory first.
"""

from __future__ import annotations

from typing import Any

FEW_ROWS = 64
"""The most rows that are fewer than what is packed, by enough to pay for turning the product round."""
TIMES_LONGER = 4
"""How many times as long as there are of them these rows are at least: the longer they are, the more is packed."""
WIDE = 128
"""Columns of a product from which on this pays."""

UNPACKED = 100**3
"""Multiplications in a product up to which OpenBLAS packs nothing."""
ENOUGH_ROWS, ENOUGH_COLUMNS = 48, 32
"""Of such a product with a transposed matrix: from these on it pays to transpose that in memory."""
IN_CACHE = 10_000
"""The most numbers in a matrix that is transposed in memory quickly."""

SMALL = 4_096
"""Numbers in a product up to which filling them with 0, as `dot` does first, takes less than what it saves."""


def product(x: Any, y: Any) -> Any:
    """x @ y, of two matrices.

    >>> import numpy as np
    >>> product(np.ones((2, 3)), np.ones((3, 1)))
    array([[3.],
           [3.]])
    """
    if len(x) * y.shape[1] <= SMALL:
        return x.dot(y)
    return turned_round(x, y) if packs_slowly(x, y) else x @ y


def times_transposed(x: Any, y: Any) -> Any:
    """x @ y.mT, of matrices or batches of them."""
    if not y.ndim == x.ndim == 2:
        return x @ y.mT
    return product(x, y.T.copy() if reads_slowly(x, y) else y.T)


def transposed_times(y: Any, x: Any) -> Any:
    """x.mT @ y, of matrices or batches of them."""
    return product(x.T, y) if y.ndim == x.ndim == 2 else x.mT @ y


def reads_slowly(x: Any, y: Any) -> bool:
    """Whether transposing y in memory pays for the product of x and transposed y, which is small, but not tiny.

    >>> import numpy as np
    >>> [reads_slowly(np.ones((rows, 64)), np.ones((64, 64))) for rows in (16, 64, 256)]
    [False, True, False]
    """
    rows, numbers = len(x), y.size
    return bool(rows >= ENOUGH_ROWS and len(y) >= ENOUGH_COLUMNS and numbers <= IN_CACHE and rows * numbers <= UNPACKED)


def packs_slowly(x: Any, y: Any) -> bool:
    """Whether turning round pays for the product of two matrices: there are few rows, and large weights transposed.

    It does in float32; the threshold for products so small that OpenBLAS packs nothing is the caller's.
    """
    rows, length = x.shape
    if not (y.flags.fnc and rows <= FEW_ROWS and rows * TIMES_LONGER <= length and y.shape[1] >= WIDE):
        return False
    return bool(x.dtype.char == y.dtype.char == "f")


def turned_round(x: Any, y: Any) -> Any:
    """The product x @ y of two matrices, as the transposed one of the transposed.

    >>> import numpy as np
    >>> turned_round(np.ones((2, 3)), np.ones((4, 3)).T)
    array([[3., 3., 3., 3.],
           [3., 3., 3., 3.]])
    """
    return (y.T @ x.T).T.copy()
