"""The norms of gradients, pass after pass -> the first that lies far outside of those before it.

Norms of a healthy training are spread like products: they are compared by their logarithms. The median and the median
distance from it (the MAD) do not move for the few that are out of line. A norm is told only where every reading of the
history agrees that it does not belong there.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Hashable, Sequence
from math import exp, hypot, isfinite, log
from statistics import median
from typing import NamedTuple

WINDOW = 128
"""So many passes are a history: enough for a median, and few enough to follow a schedule of learning rates."""
FEWEST = 24
"""So many passes of a history are needed: below, the spread of the noise of small batches is not known."""
TIMES = 20.0
"""A spike is this many times the median: warm-up, a new learning rate, another phase of the data change norms by less.
"""
BEYOND = 5.0
"""And this many times the greatest of the history: a norm that comes back, as that of a rare batch, is none."""
SPREADS = 8.0
"""And so many standard deviations of the logarithm away: where the norms are a mess, a larger one is no news."""
DEVIATION = 1.4826
"""A standard deviation by the MAD, of normal noise."""
HISTORIES = 256
"""Gradient calls that are followed, the latest: a program that asks for another set of sources each time has no end."""


class Spike(NamedTuple):
    """A pass whose gradients, together, have a `norm` far from the `median` of so many `passes` before.

    `largest` is the index of the source that has most of it, if there are `several`.
    """

    norm: float
    median: float
    passes: int
    largest: int
    several: bool


class Spikes:
    """The histories of all gradient calls of a program."""

    def __init__(self) -> None:
        self._histories: OrderedDict[Hashable, deque[float]] = OrderedDict()

    def note(self, call: Hashable, norms: Sequence[float | None]) -> Spike | None:
        """Note the norms of one more pass of a gradient call; what is far outside of its history.

        A norm that is None is not known, or there is no gradient; what is not finite or zero has no place in a history.

        >>> spikes = Spikes()
        >>> [spikes.note("w", [1.0 + pass_ % 3]) for pass_ in range(100)] == [None] * 100
        True
        >>> spikes.note("w", [1e4])
        Spike(norm=10000.0, median=2.0, passes=100, largest=0, several=False)
        """
        known = [each for each in norms if each is not None]
        whole = hypot(*known)
        if not whole or not isfinite(whole):
            return None
        history = self._history(call)
        outside = _is_outside(log(whole), history)
        usual = exp(median(history)) if outside else whole
        passes = len(history)
        history.append(log(whole))
        largest = max(range(len(norms)), key=lambda index: norms[index] or 0.0)
        return Spike(whole, usual, passes, largest, len(known) > 1) if outside else None

    def _history(self, call: Hashable) -> deque[float]:
        history = self._histories.setdefault(call, deque(maxlen=WINDOW))
        self._histories.move_to_end(call)
        if len(self._histories) > HISTORIES:
            self._histories.popitem(last=False)
        return history


def _is_outside(now: float, history: deque[float]) -> bool:
    """Whether a logarithm of a norm is far above those of a history."""
    if len(history) < FEWEST or now < max(history) + log(BEYOND):  # the last is true of nearly all, and soon found
        return False
    usual = median(history)
    spread = DEVIATION * median([abs(each - usual) for each in history])
    return now > usual + max(log(TIMES), SPREADS * spread)
