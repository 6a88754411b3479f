"""A seed or None -> what Keras draws its random numbers by: one pair of seeds for each drawing."""

from __future__ import annotations

import random as python_random
from typing import ClassVar

import numpy as np

from tapeviz.engine.random import Seeds

_KEPT = 2**31 - 2
"""So many seeds Keras tells apart."""
_LARGEST = 10**9


class SeedSource:
    """Where seeds come from: as in Keras from Python's own random numbers, which `tf.random.set_seed` does not start
    over; so from then on from tapeviz's, until `tf.keras.utils.set_random_seed`."""

    ours: ClassVar[python_random.Random] = python_random.Random()
    begun: ClassVar[int] = 0
    """How often the global seed had been set when ours were begun."""
    followed: ClassVar[int] = 0
    """How often it had been when Python's were started over with it."""

    @classmethod
    def follow_python(cls) -> None:
        """Take Python's, until the global seed is set again."""
        cls.followed = Seeds.times

    @classmethod
    def draw(cls) -> int:
        if Seeds.chosen is None or cls.followed == Seeds.times:
            return python_random.randint(1, _LARGEST)
        if cls.begun != Seeds.times:
            cls.ours, cls.begun = python_random.Random(Seeds.chosen), Seeds.times
        return cls.ours.randint(1, _LARGEST)


def chosen(seed: int | None) -> int:
    """The seed, or, for None, one that is drawn."""
    return SeedSource.draw() if seed is None else seed


def of_numpy(seed: int | None) -> int:
    """The seed, or, for None, one that NumPy draws, as for all of `tf.keras.backend`."""
    return int(np.random.randint(int(10e6))) if seed is None else seed


def pair_of(seed: int, drawn: int = 0) -> list[int]:
    """The pair that is drawn by at first, or after so many drawings.

    >>> pair_of(2**31)
    [2, 0]
    """
    return [seed % _KEPT, drawn]
