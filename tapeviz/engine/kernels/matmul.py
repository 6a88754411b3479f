"""Two matrices -> their product, by whichever of the ways to call BLAS is fastest.

- In tiles (`kernels.tiles`).
- The transposed product of the transposed. The commonest product of a backward pass, a few rows of gradients times
  transposed weights, is OpenBLAS's slowest: it packs a transposed matrix number by number. Turned round, only the few
  rows are transposed.
- With small weights transposed in memory first: small matrices are multiplied unpacked, along columns.
- By `dot`.
"""

from __future__ import annotations

from typing import Any

from tapeviz.engine.kernels.openblas import UNPACKED
from tapeviz.engine.kernels.tiles import tile_of, tiled
from tapeviz.engine.specs.dtypes import Array

FEW_ROWS = 64
"""The largest number of rows for which computing the transposed product is faster."""
TIMES_LONGER = 4
"""The least ratio of the length of these rows to their number: OpenBLAS packs more, the longer they are."""
WIDE = 128
"""The number of columns of a product from which on this is faster."""

ENOUGH_ROWS, ENOUGH_COLUMNS = 48, 32
"""The number from which on it is faster to transpose a matrix in memory first."""
IN_CACHE = 10_000
"""The largest size of a matrix that is quickly transposed in memory."""

SMALL = 4_096
"""The size of a product up to which `dot`, which first fills it with 0, is faster."""

_last: tuple[Any, Any] = None, None
"""The matrix that was last transposed in memory, and its transpose."""


def product(x: Array, y: Array) -> Any:
    """x @ y, of two matrices.

    >>> import numpy as np
    >>> product(np.ones((2, 3)), np.ones((3, 1)))
    array([[3.],
           [3.]])
    """
    if len(x) * y.shape[1] <= SMALL:
        return x.dot(y)
    tile = tile_of(x, y)
    if tile is not None:
        return tiled(x, y, *tile)
    return turned_round(x, y) if packs_slowly(x, y) else x @ y


def times_transposed(x: Array, y: Array) -> Any:
    """x @ y.mT, of matrices or batches of them."""
    if not y.ndim == x.ndim == 2:
        return x @ y.mT
    return product(x, _transposed(y) if reads_slowly(x, y) else y.T)


def _transposed(y: Array) -> Any:
    """The transpose of a matrix, in memory of its own.

    It is made once for products in a row with the same weights, as in the backward pass of a recurrent network: the
    array of a tensor never changes.
    """
    global _last
    matrix, transpose = _last
    if matrix is not y:
        transpose = y.T.copy()
        _last = y, transpose
    return transpose


def transposed_times(y: Array, x: Array) -> Any:
    """x.mT @ y, of matrices or batches of them."""
    return product(x.T, y) if y.ndim == x.ndim == 2 else x.mT @ y


def reads_slowly(x: Array, y: Array) -> bool:
    """Whether it is faster to transpose y in memory for the product with its transpose: if that is small, but not tiny.

    >>> import numpy as np
    >>> [reads_slowly(np.ones((rows, 64)), np.ones((64, 64))) for rows in (16, 64, 256)]
    [False, True, False]
    """
    rows, numbers = len(x), y.size
    return bool(rows >= ENOUGH_ROWS and len(y) >= ENOUGH_COLUMNS and numbers <= IN_CACHE and rows * numbers <= UNPACKED)


def packs_slowly(x: Array, y: Array) -> bool:
    """Whether the transposed product is faster: there are few rows, and the other matrix is large and transposed.

    It does in float32; the threshold for products so small that OpenBLAS packs nothing is the caller's.
    """
    rows, length = x.shape
    if not (y.flags.fnc and rows <= FEW_ROWS and rows * TIMES_LONGER <= length and y.shape[1] >= WIDE):
        return False
    return bool(x.dtype.char == y.dtype.char == "f")


def turned_round(x: Array, y: Array) -> Any:
    """The product x @ y of two matrices, as the transposed one of the transposed.

    >>> import numpy as np
    >>> turned_round(np.ones((2, 3)), np.ones((4, 3)).T)
    array([[3., 3., 3., 3.],
           [3., 3., 3., 3.]])
    """
    return (y.T @ x.T).T.copy()
