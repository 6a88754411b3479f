"""A seed or None -> the seeds of Keras' random numbers: a pair of them for each call."""

from __future__ import annotations

import random as python_random
from typing import ClassVar

from tapeviz.tf.random_state import Seeds

_KEPT = 2**31 - 2
"""The number of different seeds in Keras."""
_LARGEST = 10**9


class SeedSource:
    """Where random seeds come from.

    As in Keras, from Python's random numbers. `tf.random.set_seed` does not seed these; so after it they come from a
    generator of tapeviz's, until `tf.keras.utils.set_random_seed` is called.
    """

    ours: ClassVar[python_random.Random] = python_random.Random()
    begun: ClassVar[int] = 0
    """How often the global seed had been set when `ours` was seeded."""
    followed: ClassVar[int] = 0
    """How often it had been set when Python's numbers were seeded with it."""

    @classmethod
    def follow_python(cls) -> None:
        """Take Python's random numbers until the global seed is set again."""
        cls.followed = Seeds.times

    @classmethod
    def draw(cls) -> int:
        if Seeds.chosen is None or cls.followed == Seeds.times:
            return python_random.randint(1, _LARGEST)
        if cls.begun != Seeds.times:
            cls.ours, cls.begun = python_random.Random(Seeds.chosen), Seeds.times
        return cls.ours.randint(1, _LARGEST)


def chosen(seed: int | None) -> int:
    """The seed; for None, a random one."""
    return SeedSource.draw() if seed is None else seed


def pair_of(seed: int, drawn: int = 0) -> list[int]:
    """The pair of seeds of a call.

    Args:
        seed: the seed of the layer.
        drawn: how many calls there were before.

    >>> pair_of(2**31)
    [2, 0]
    """
    return [seed % _KEPT, drawn]
