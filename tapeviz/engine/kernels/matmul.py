"""Two matrices -> their product, by whichever of the ways to call BLAS is fastest.

- Tile by tile, each so small that OpenBLAS multiplies it without packing (`kernels.openblas`).
- The transposed product of the transposed. The commonest product of a backward pass, a few rows of gradients times
  transposed weights, is OpenBLAS's slowest: it packs a transposed matrix number by number. Turned round, only the few
  rows are transposed.
- With small weights transposed in memory first: small matrices are multiplied unpacked, along columns.
- By `dot`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from tapeviz.engine.kernels.openblas import UNPACKED, multiplies_unpacked

TILE_COLUMNS = 64
"""The width of a tile: what it needs of a large matrix stays in the cache."""
ROWS_STEP = 4
"""The number of its rows is a multiple of this, as OpenBLAS fills registers with them."""
LEAST_ROWS = 8
"""The least number of rows for which tiles are faster."""
LEAST_ROWS_ASIDE = 32
"""The same where the first matrix is transposed, or tiles are as wide as the product."""
UNPACKED_TRANSPOSED = 1024
"""The size of a tile up to which OpenBLAS packs nothing if the second matrix is transposed."""
MOST_TRANSPOSED, LEAST_LENGTH = 256, 256
"""The number of rows up to which, and their length from which on, tiles are faster with such a matrix."""

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


def product(x: Any, y: Any) -> Any:
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


def times_transposed(x: Any, y: Any) -> Any:
    """x @ y.mT, of matrices or batches of them."""
    if not y.ndim == x.ndim == 2:
        return x @ y.mT
    return product(x, _transposed(y) if reads_slowly(x, y) else y.T)


def _transposed(y: Any) -> Any:
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


def transposed_times(y: Any, x: Any) -> Any:
    """x.mT @ y, of matrices or batches of them."""
    return product(x.T, y) if y.ndim == x.ndim == 2 else x.mT @ y


def tile_of(x: Any, y: Any) -> tuple[int, int] | None:
    """Rows and columns of a tile of the product, if that is faster tile by tile: in float32."""
    (rows, length), columns = x.shape, y.shape[1]
    if rows * length * columns <= UNPACKED or not (x.dtype.char == y.dtype.char == "f" and multiplies_unpacked()):
        return None
    x_flags, y_flags = x.flags, y.flags
    return fitting_tile(rows, length, columns, x_flags.fnc, y_flags.fnc) if x_flags.forc and y_flags.forc else None


@lru_cache(1024)
def fitting_tile(
    rows: int, length: int, columns: int, x_transposed: bool, y_transposed: bool
) -> tuple[int, int] | None:
    """Rows and columns of the largest tile that is multiplied unpacked; None if that is too small to be faster.

    >>> fitting_tile(64, 784, 256, False, False)
    (16, 64)
    """
    is_wide = columns % TILE_COLUMNS == 0
    width = TILE_COLUMNS if is_wide else columns
    least, most = LEAST_ROWS if is_wide and not x_transposed else LEAST_ROWS_ASIDE, UNPACKED // (length * width)
    if y_transposed:
        if x_transposed or not is_wide or rows > MOST_TRANSPOSED or length < LEAST_LENGTH:
            return None
        most = min(most, UNPACKED_TRANSPOSED // width)
    fitting = [height for height in range(least, most + 1, ROWS_STEP) if rows % height == 0]
    return (fitting[-1], width) if fitting else None


def tiled(x: Any, y: Any, rows: int, columns: int) -> Any:
    """The product x @ y of two matrices, computed in tiles of so many rows and columns, which have to fit.

    >>> import numpy as np
    >>> tiled(np.ones((4, 3)), np.ones((3, 2)), 2, 1)
    array([[3., 3.],
           [3., 3.],
           [3., 3.],
           [3., 3.]])
    """
    (height, length), width = x.shape, y.shape[1]
    out = np.empty((height, width), x.dtype)
    np.matmul(
        x.reshape(1, -1, rows, length),
        y.reshape(length, -1, 1, columns).transpose(1, 2, 0, 3),
        out.reshape(-1, rows, width // columns, columns).transpose(2, 0, 1, 3),
    )
    return out


def reads_slowly(x: Any, y: Any) -> bool:
    """Whether it is faster to transpose y in memory for the product with its transpose: if that is small, but not tiny.

    >>> import numpy as np
    >>> [reads_slowly(np.ones((rows, 64)), np.ones((64, 64))) for rows in (16, 64, 256)]
    [False, True, False]
    """
    rows, numbers = len(x), y.size
    return bool(rows >= ENOUGH_ROWS and len(y) >= ENOUGH_COLUMNS and numbers <= IN_CACHE and rows * numbers <= UNPACKED)


def packs_slowly(x: Any, y: Any) -> bool:
    """Whether the transposed product is faster: there are few rows, and the other matrix is large and transposed.

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
