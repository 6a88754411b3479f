"""Values of gradients -> their Euclidean norms, those of a framework's tensors in as few calls as it has for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from tapeviz.events.summary import size_of
from tapeviz.events.values import HeldTensor, is_value, readable


def norms(values: Sequence[Any]) -> list[float | None]:
    """The norm of each value, in double precision as far as its framework has it; None where no numbers are known.

    One that is not finite says that an element is not, or that the squares are too large for the framework's numbers.

    >>> import numpy as np
    >>> norms([np.array([3.0, 4.0]), ((2,), "float32"), np.float32(2.0), None])
    [5.0, None, 2.0, None]
    """
    found: list[float | None] = [None] * len(values)
    held: defaultdict[type[HeldTensor], list[int]] = defaultdict(list)
    for index, value in enumerate(values):
        if isinstance(value, HeldTensor):
            held[type(value)].append(index)
        elif is_value(value):
            found[index] = size_of(readable(value))
    for kind, indices in held.items():
        for index, size in zip(indices, kind.norms([values[index] for index in indices]), strict=True):
            found[index] = size
    return found
