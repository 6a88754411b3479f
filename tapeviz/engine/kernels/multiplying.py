"""Two matrices -> their product, the other way round than `@` where that is quicker.

The commonest product of a backward pass, a few rows of gradients times large weights that are transposed, is the
slowest of OpenBLAS's: it packs what is transposed number by number. The other way round the few rows are transposed.
"""

from __future__ import annotations

from typing import Any

FEW_ROWS = 64
"""The most rows that are fewer than what is packed, by enough to pay for turning the product round."""
TIMES_LONGER = 4
"""How many times as long as their number these rows are at least: the longer they are, the more is packed."""
WIDE = 128
"""Columns of a product from which on this pays."""
PACKED = 1_200
"""Numbers in a product up to which OpenBLAS, where it has AVX-512, packs nothing."""


def packs_slowly(x: Any, y: Any) -> bool:
    """Whether turning round pays for the product of two matrices, the first of at most `FEW_ROWS`.

    The second one is what is transposed, in the dtype in which that is slow, and is large beside the first.
    """
    if not (y.flags.fnc and x.dtype.char == y.dtype.char == "f"):
        return False
    (rows, length), columns = x.shape, y.shape[1]
    return bool(rows * TIMES_LONGER <= length and columns >= WIDE and rows * columns > PACKED)


def turned_round(x: Any, y: Any) -> Any:
    """The product x @ y of two matrices, as the transposed one of the transposed.

    >>> import numpy as np
    >>> turned_round(np.ones((2, 3)), np.ones((4, 3)).T)
    array([[3., 3., 3., 3.],
           [3., 3., 3., 3.]])
    """
    return (y.T @ x.T).T.copy()
