"""A dataset -> the same elements in an order drawn at random, TensorFlow's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, repeat
from typing import Any

from tapeviz.engine.functions.integers import long_of
from tapeviz.engine.kernels.philox import Philox
from tapeviz.errors import InvalidArgumentError
from tapeviz.tf import random_state
from tapeviz.tf.data.pipeline import UNKNOWN_CARDINALITY, Kind, late


def drawn(seed: Any, anew: Any, argument: str) -> Callable[[], Iterator[int]]:
    """A function that returns the random numbers of an iteration, which are TensorFlow's.

    Args:
        seed: the seed, or None.
        anew: whether each iteration has other numbers; True for None.
        argument: the name of that argument, for the error.

    Raises:
        TypeError: `anew` is neither None nor a bool.
    """
    if anew is not None and type(anew) is not bool:
        raise TypeError(f"Expected bool for argument '{argument}' not {anew!r}.")
    seeds = random_state.seeds(None if seed is None else long_of(seed))
    if anew is False:
        return Philox.of_seeds(*seeds).words
    further = Philox.of_seeds(*seeds).words()

    def words() -> Iterator[int]:
        taken = further if random_state.counting.get() else repeat(0)
        return Philox.of_seeds(next(taken), next(taken)).words()

    return words


def _shuffled(elements: Iterator[Any], room: int | None, draw: Iterator[int]) -> Iterator[Any]:
    """Elements drawn from a buffer of this size, by default of all. It is a ring, in which the first element moves to
    where the drawn one was, and the next element of the dataset takes the place of the first."""
    buffer = list(islice(elements, room))
    first, last, size = 0, len(buffer), len(buffer)
    while first < last:
        place = (first + next(draw) % (last - first)) % size
        chosen, buffer[place] = buffer[place], buffer[first % size]
        first += 1
        yield chosen
        for element in islice(elements, 1):
            buffer[last % size] = element
            last += 1


def shuffle(
    self: Kind,
    buffer_size: Any,
    seed: Any = None,
    reshuffle_each_iteration: bool | None = True,
    name: str | None = None,
) -> Kind:
    """The elements in random order: each next one is drawn from a buffer.

    With a seed, or after `tf.random.set_seed`, the order is TensorFlow's.

    Args:
        buffer_size: how many elements are in the buffer; all for `tf.data.UNKNOWN_CARDINALITY`.
        seed: the seed of the draws.
        reshuffle_each_iteration: whether each iteration has another order.

    Raises:
        InvalidArgumentError: another `buffer_size` less than 1.
        TypeError: `reshuffle_each_iteration` is not a bool.
    """
    size = long_of(buffer_size, "buffer_size")
    room = None if size == UNKNOWN_CARDINALITY else size
    if room is not None and room < 1:
        raise InvalidArgumentError(
            f"buffer_size must be greater than zero or UNKNOWN_CARDINALITY. In shuffle: buffer_size is {room}. "
            "Give the number of elements, to draw from all of them."
        )
    words = drawn(seed, reshuffle_each_iteration, "reshuffle_each_iteration")

    def start() -> Iterator[Any]:
        return _shuffled(late(self._start), room, words())

    return type(self)(start, self._size, self._spec, "Shuffle")
