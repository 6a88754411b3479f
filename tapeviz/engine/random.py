"""The global seed and an op's own seed -> streams of numbers, by TensorFlow's discipline.

After `set_seed(s)` the same calls draw the same numbers, whatever was drawn before. Calls with a seed of their own are
counted apart from those without; with neither seed the numbers differ at every run. What is only tried is not
`counting`: it draws any numbers, and the next call those that it would have drawn anyway.
"""

from __future__ import annotations

from collections import Counter
from contextvars import ContextVar
from random import Random
from threading import Lock
from typing import Any, ClassVar

import numpy as np

from tapeviz.engine.kernels.philox import Philox

_WITHOUT_GLOBAL_SEED = 87654321
_LARGEST = 2**31 - 1
_one_thread = Lock()
"""No two threads draw the same numbers."""
counting: ContextVar[bool] = ContextVar("tapeviz.counting", default=True)
"""Whether what is drawn is drawn for good; what is only tried is thrown away, and nothing later hangs on it."""


class Seeds:
    """The global seed, what was drawn from each seed of an op since, and where ops without one get theirs."""

    chosen: int | None = None
    drawn: ClassVar[Counter[Any]] = Counter()
    source: ClassVar[Random] = Random()
    times: int = 0
    """How often the global seed was set: what draws by numbers of its own begins them anew when it was."""


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
    Seeds.source.seed(seed if type(seed) is float else Seeds.chosen)  # TensorFlow cuts it off for kernels only
    Seeds.times += 1


def stream(kernel: str, reserved: int, own: int | None = None) -> Philox:
    """The numbers of the next call of a kernel with this seed, for which so many counts are kept."""
    first, second = seeds(own)
    if Seeds.chosen is None and own is None:
        return Philox.of_seeds(first, second)
    with _one_thread:
        begun = Seeds.drawn[kernel, first, second]
        if own is not None and counting.get():  # a seed that was given to one op is hardly ever given again
            Seeds.drawn[kernel, first, second] += reserved
    return Philox.of_seeds(first, second).behind(begun)


def seeds(own: int | None = None) -> tuple[int, int]:
    """The two seeds that the next call draws by: the global one and its own, or one in its place."""
    if Seeds.chosen is None and own is None:
        first, second = np.random.default_rng().integers(0, 2**32, 2).tolist()
        return first, second
    first = (_WITHOUT_GLOBAL_SEED if Seeds.chosen is None else Seeds.chosen) % _LARGEST
    with _one_thread:
        source = Seeds.source if counting.get() else Random(0)  # a trial takes nothing out of the one that counts
        second = (source.randint(0, _LARGEST) if own is None else _whole(own)) % _LARGEST
    return first, second if first or second else _LARGEST


def of_graph() -> Philox:
    """The numbers of the first op of a graph: with a global seed always the same, whatever was drawn before."""
    return Philox.of_seeds(*seeds(None if Seeds.chosen is None else 0))


def _whole(seed: Any) -> int:
    if isinstance(seed, (str, bytes)):
        raise TypeError(f"A seed is an integer, not {seed!r}.")
    return int(seed)
