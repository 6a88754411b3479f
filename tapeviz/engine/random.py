"""The global seed and an op's own seed -> NumPy generators, by TensorFlow's discipline.

After `set_seed(s)` the same calls draw the same numbers, whatever was drawn before. Calls with a seed of their own are
counted apart from those without; with neither seed the numbers differ at every run.
"""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

import numpy as np

_WITHOUT_GLOBAL_SEED = 87654321
_WITHOUT_OWN_SEED = -1


class Seeds:
    """The global seed, and how often each own seed was drawn from since it was set."""

    chosen: int | None = None
    drawn: ClassVar[Counter[int]] = Counter()


def set_seed(seed: int | None) -> None:
    """Start the random numbers over (`tf.random.set_seed`); None is no seed, as in the beginning.

    >>> import tapeviz as tf
    >>> tf.random.set_seed(7)
    >>> a = tf.random.normal([])
    >>> tf.random.set_seed(7)
    >>> bool(a == tf.random.normal([]))
    True
    """
    Seeds.chosen = None if seed is None else int(seed)
    Seeds.drawn.clear()


def generator(own: int | None = None) -> np.random.Generator:
    """The numbers of the next call with this seed."""
    if Seeds.chosen is None and own is None:
        return np.random.default_rng()
    key = _WITHOUT_OWN_SEED if own is None else int(own)
    Seeds.drawn[key] += 1
    start = _WITHOUT_GLOBAL_SEED if Seeds.chosen is None else Seeds.chosen
    return np.random.default_rng([abs(start), int(start < 0), key + 1 & 0xFFFFFFFF, Seeds.drawn[key]])
