"""Two matrices -> their product tile by tile, where that is faster: each so small that OpenBLAS does not pack it.

All tiles are one call of `np.matmul`, on views of the matrices and of the result.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from tapeviz.engine.kernels.openblas import UNPACKED, multiplies_unpacked
from tapeviz.engine.specs.dtypes import Array

TILE_COLUMNS = 64
"""The width of a tile: what it needs of a large matrix stays in the cache."""
ROWS_STEP = 4
"""The number of its rows is a multiple of this, as OpenBLAS fills registers with them."""
LEAST_ROWS = 8
"""The least number of rows for which tiles are faster."""
LEAST_ROWS_OTHERWISE = 32
"""The same where the first matrix is transposed, or tiles are as wide as the product."""
UNPACKED_TRANSPOSED = 1024
"""The size of a tile up to which OpenBLAS packs nothing if the second matrix is transposed."""
MOST_TRANSPOSED, LEAST_LENGTH = 256, 256
"""The number of rows up to which, and their length from which on, tiles are faster with such a matrix."""


def tile_of(x: Array, y: Array) -> tuple[int, int] | None:
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
    least, most = LEAST_ROWS if is_wide and not x_transposed else LEAST_ROWS_OTHERWISE, UNPACKED // (length * width)
    if y_transposed:
        if x_transposed or not is_wide or rows > MOST_TRANSPOSED or length < LEAST_LENGTH:
            return None
        most = min(most, UNPACKED_TRANSPOSED // width)
    fitting = [height for height in range(least, most + 1, ROWS_STEP) if rows % height == 0]
    return (fitting[-1], width) if fitting else None


def tiled(x: Array, y: Array, rows: int, columns: int) -> Any:
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
