"""A seed or None -> what Keras draws its random numbers by: one pair of seeds for each drawing."""

from __future__ import annotations

import random as python_random

from tapeviz.engine import random
from tapeviz.engine.random import counting

_KEPT = 2**31 - 2
"""So many seeds Keras tells apart."""
_LARGEST = 10**9


def chosen(seed: int | None) -> int:
    """The seed, or, for None, one that is drawn, as in Keras, from Python's own random numbers.

    `tf.random.set_seed`, which does not start those over, starts tapeviz's over, and from then on these are taken;
    until `tf.keras.utils.set_random_seed`.
    """
    if seed is not None:
        return seed
    source = python_random if random.Seeds.with_python else random.Seeds.beside
    return source.randint(1, _LARGEST)


class SeedGenerator:
    """A seed, and how often it was drawn by: each time by another pair.

    >>> generator = SeedGenerator(7)
    >>> generator.next(), generator.next()
    ([7, 0], [7, 1])
    """

    def __init__(self, seed: int | None = None) -> None:
        self._seed, self._drawn = chosen(seed), 0

    def next(self) -> list[int]:
        """The pair of the next drawing; what is only tried draws by it, too, but uses none up."""
        pair = pair_of(self._seed, self._drawn)
        self._drawn += counting.get()
        return pair


def pair_of(seed: int, drawn: int = 0) -> list[int]:
    """The pair that is drawn by at first, or after so many drawings.

    >>> pair_of(2**31)
    [2, 0]
    """
    return [seed % _KEPT, drawn]
