"""A seed -> pairs of seeds for the random numbers of a layer, a different one for each call."""

from __future__ import annotations

import numpy as np

from tapeviz.tf.keras import naming
from tapeviz.tf.keras.seeds import chosen, pair_of
from tapeviz.tf.keras.variable import Variable
from tapeviz.tf.random_state import counting


class SeedGenerator:
    """A source of seeds: pairs of a fixed number and the number of pairs so far.

    Args:
        seed: the fixed number; by default it is drawn.

    Raises:
        ValueError: the seed is not an integer.

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
        """The next pair. In a dry run, the count stays."""
        seed, drawn = self.state._value.tolist()
        # not logged: a picture shows the random numbers, not the count
        self.state._value = np.array([seed, drawn + counting.get()], np.int64)
        return pair_of(seed, drawn)
