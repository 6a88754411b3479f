"""Two matrices -> their product, by whichever of the ways to call BLAS is fastest.

- Some rows at a time, as many as OpenBLAS multiplies without packing (`kernels.openblas`).
- The transposed product of the transposed. The commonest product of a backward pass, a few rows of gradients times
  transposed weights, is OpenBLAS's slowest: it packs a transposed matrix number by number. Turned round, only the few
  rows are transposed.
- With small weights transposed in memory first: small matrices are multiplied unpacked, along columns.
- By `dot`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from tapeviz.engine.kernels.openblas import UNPACKED, multiplies_unpacked

AT_A_TIME = 4
"""Rows are multiplied so many at a time, or a multiple of it, as OpenBLAS fills registers with them."""
WHOLE_REGISTERS = 64
"""So few are faster than all rows at once if there is a multiple of so many columns, and each row is contiguous."""
MANY_AT_A_TIME = 32
"""The least number at a time that is faster otherwise."""
UNPACKED_TRANSPOSED = 1024
"""The size of a product up to which OpenBLAS packs nothing if the second matrix is transposed."""
MOST_TRANSPOSED, LEAST_LENGTH = 256, 256
"""The number of rows up to which, and their length from which on, this is faster with such a matrix."""

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
    at_a_time = rows_at_a_time(x, y)
    if at_a_time:
        return (x.reshape(-1, at_a_time, x.shape[1]) @ y).reshape(len(x), -1)
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


def rows_at_a_time(x: Any, y: Any) -> int:
    """How many rows of x are multiplied at a time where that is faster than all at once, else 0: in float32."""
    (rows, length), columns = x.shape, y.shape[1]
    if rows * length * columns <= UNPACKED or not (x.dtype.char == y.dtype.char == "f" and multiplies_unpacked()):
        return 0
    x_flags, y_flags = x.flags, y.flags
    return fitting_rows(rows, length, columns, x_flags.fnc, y_flags.fnc) if x_flags.forc and y_flags.forc else 0


@lru_cache(1024)
def fitting_rows(rows: int, length: int, columns: int, x_transposed: bool, y_transposed: bool) -> int:
    """The most rows at a time, of so many, that OpenBLAS multiplies unpacked; 0 if these are too few to be faster.

    >>> fitting_rows(64, 784, 256, False, False)
    4
    """
    least = AT_A_TIME if columns % WHOLE_REGISTERS == 0 and not x_transposed else MANY_AT_A_TIME
    most = UNPACKED // (length * columns)
    if y_transposed:
        if least > AT_A_TIME or rows > MOST_TRANSPOSED or length < LEAST_LENGTH:
            return 0
        most = min(most, UNPACKED_TRANSPOSED // columns)
    fitting = [number for number in range(least, most + 1, AT_A_TIME) if rows % number == 0]
    return fitting[-1] if fitting else 0


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
