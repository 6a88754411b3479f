"""What rules get in place of an array, so that their operators call ops: it has the array's shape and dtype."""

from __future__ import annotations

from math import prod

import numpy as np


class StandIn:
    """Base of the classes that stand for an array in a backward pass."""

    __slots__ = ()
    __array_ufunc__ = None  # operators of an array and this one are this one's

    @property
    def shape(self) -> tuple[int, ...]:
        raise NotImplementedError

    @property
    def dtype(self) -> np.dtype[np.generic]:
        raise NotImplementedError

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return prod(self.shape)
