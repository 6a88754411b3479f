"""Values of gradients -> their Euclidean norms, those of a framework's tensors in as few calls as it has for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeviz.events.summary import size_of
from tapeviz.events.values import HeldTensor, is_value, readable

SMALL = 1 << 14
"""Arrays of at most so many elements are put behind each other: to each by itself NumPy is called in vain."""

MANY = 1 << 10
"""So many of them are looked at together."""


def norms(values: Sequence[Any]) -> list[float | None]:
    """The norm of each value, in double precision as far as its framework has it; None where no numbers are known.

    One that is not finite says that an element is not, or that the squares are too large for the framework's numbers.

    >>> import numpy as np
    >>> norms([np.array([3.0, 4.0]), ((2,), "float32"), np.float32(2.0), None])
    [5.0, None, 2.0, None]
    """
    found: list[float | None] = [None] * len(values)
    small: list[int] = []
    held: defaultdict[type[HeldTensor], list[int]] = defaultdict(list)
    for index, value in enumerate(values):
        if isinstance(value, HeldTensor):
            held[type(value)].append(index)
        elif type(value) is np.ndarray and value.dtype.kind == "f" and 0 < value.size <= SMALL:
            small.append(index)
        elif is_value(value):
            found[index] = size_of(readable(value))
    for index, length in zip(small, _together([values[index] for index in small]), strict=True):
        found[index] = length
    for kind, indices in held.items():
        for index, size in zip(indices, kind.norms([values[index] for index in indices]), strict=True):
            found[index] = size
    return found


def _together(arrays: Sequence[Any]) -> Sequence[float]:
    """The norms of small arrays of floats that have elements."""
    found: list[float] = []
    for start in range(0, len(arrays), MANY):
        some = [each.reshape(-1) for each in arrays[start : start + MANY]]
        starts = np.cumsum([0, *(each.size for each in some[:-1])])
        flat = np.concatenate(some).astype(np.float64)
        found += np.sqrt(np.add.reduceat(flat * flat, starts)).tolist()
    return found
