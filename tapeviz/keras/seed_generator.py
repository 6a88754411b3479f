"""A seed -> the pairs of seeds that a layer draws its random numbers by, one after the other."""

from __future__ import annotations

import numpy as np

from tapeviz.engine.random import counting
from tapeviz.keras import naming
from tapeviz.keras.seeds import chosen, pair_of
from tapeviz.keras.variable import Variable


class SeedGenerator:
    """A seed, and how often it was drawn by: each time by another pair.

    Raises:
        ValueError: a seed that is no integer.

    >>> generator = SeedGenerator(7)
    >>> generator.next(), generator.next()
    ([7, 0], [7, 1])
    >>> generator.state.numpy().tolist()
    [7, 2]
    """

    def __init__(self, seed: int | None = None) -> None:
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
            raise ValueError(f"Argument `seed` must be an integer. Received: seed={seed}")
        self.name = naming.named_after(self)
        with naming.within(naming.below(self.name)):
            self.state = Variable(np.array([chosen(seed), 0], np.int64), trainable=False, name="seed_generator_state")

    def next(self) -> list[int]:
        """The pair of the next drawing; what is only tried draws by it, too, but uses none up."""
        seed, drawn = self.state._value.tolist()
        # no event of the log: a picture shows what was drawn, not what counts the drawings
        self.state._value = np.array([seed, drawn + counting.get()], np.int64)
        return pair_of(seed, drawn)
