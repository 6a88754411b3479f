"""The global seed and an op's own seed -> streams of numbers, by TensorFlow's discipline.

After `set_seed(s)` the same calls draw the same numbers, whatever was drawn before. Calls with a seed of their own are
counted apart from those without; with neither seed the numbers differ at every run. A `stream` is TensorFlow's own, a
`generator`, for what TensorFlow draws in other ways, NumPy's.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from threading import Lock
from typing import Any, ClassVar

import numpy as np

from tapeviz.engine.philox import Philox

_WITHOUT_GLOBAL_SEED = 87654321
_WITHOUT_OWN_SEED = -1
_LARGEST = 2**31 - 1
_one_thread = Lock()
"""No two threads draw the same numbers."""


class Seeds:
    """The global seed, what was drawn from each seed since it was set, and the seeds of ops that had none."""

    chosen: int | None = None
    drawn: ClassVar[Counter[Any]] = Counter()
    source: Random = Random()
    given: ClassVar[list[int]] = []


def set_seed(seed: int | None) -> None:
    """Start the random numbers over (`tf.random.set_seed`); None is no seed, as in the beginning.

    Raises:
        TypeError: a seed that is no number.

    >>> import tapeviz as tf
    >>> tf.random.set_seed(7)
    >>> a = tf.random.normal([])
    >>> tf.random.set_seed(7)
    >>> bool(a == tf.random.normal([]))
    True
    """
    Seeds.chosen = None if seed is None else _whole(seed)
    Seeds.drawn.clear()
    Seeds.source = Random(Seeds.chosen)
    Seeds.given.clear()


def stream(kernel: str, reserved: int, own: int | None = None) -> Philox:
    """The numbers of the next call of a kernel with this seed, for which so many counts are kept."""
    if Seeds.chosen is None and own is None:
        first, second, begun = (int(each) for each in np.random.default_rng().integers(0, 2**32, 3))
    else:
        first = (_WITHOUT_GLOBAL_SEED if Seeds.chosen is None else Seeds.chosen) % _LARGEST
        second = (_given() if own is None else _whole(own)) % _LARGEST
        second = second if first or second else _LARGEST
        with _one_thread:
            begun = Seeds.drawn[kernel, first, second]
            Seeds.drawn[kernel, first, second] += reserved
    return Philox((first, 0), begun | second << 64)


def _whole(seed: Any) -> int:
    if isinstance(seed, (str, bytes)):
        raise TypeError(f"A seed is an integer, not {seed!r}.")
    return int(seed)


def _given() -> int:
    """The seed of the next op that has none of its own."""
    with _one_thread:
        place = Seeds.drawn[_given]
        Seeds.drawn[_given] += 1
        while len(Seeds.given) <= place:
            Seeds.given.append(Seeds.source.randint(0, _LARGEST))
        return Seeds.given[place]


def generator(own: int | None = None) -> np.random.Generator:
    """The numbers of the next call with this seed."""
    if Seeds.chosen is None and own is None:
        return np.random.default_rng()
    key = _WITHOUT_OWN_SEED if own is None else _whole(own)
    Seeds.drawn[key] += 1
    start = _WITHOUT_GLOBAL_SEED if Seeds.chosen is None else Seeds.chosen
    return np.random.default_rng([abs(start), int(start < 0), key + 1 & 0xFFFFFFFF, Seeds.drawn[key]])
