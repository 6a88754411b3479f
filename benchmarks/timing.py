"""Turns -> paired ratios: the same work, done in turns in one process, so that a slow moment hits all alike."""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Mapping
from random import Random
from time import perf_counter

Turn = Callable[[], float]
"""A call that does its work and returns the seconds it took."""

Timings = dict[str, dict[int, float]]
"""name -> round -> seconds; who is slow sits out most rounds."""

SLOW = 50
"""Who takes this many times as long as the quickest takes part in every second round, and so on."""
FEWEST = 5
"""How many rounds the slowest takes part in."""


def turn(work: Callable[[], object]) -> float:
    """The seconds a call takes right after another one, with the garbage collector off."""
    gc.collect()
    gc.disable()
    try:
        work()
        begin = perf_counter()
        work()
        return perf_counter() - begin
    finally:
        gc.enable()


def interleaved(turns: Mapping[str, Turn], *, rounds: int) -> Timings:
    """Seconds of every turn, round by round, each in an order drawn by chance: who follows whom makes a difference.

    A turn finds the caches as the one before has left them.
    """
    first = {name: take() for name, take in turns.items()}
    gc.freeze()  # what the libraries have loaded is not looked through again before every turn
    stride = {name: _stride(seconds / min(first.values()), rounds) for name, seconds in first.items()}
    timings: Timings = {name: {} for name in turns}
    chance = Random(0)
    for at in range(rounds):
        for name in chance.sample(list(turns), len(turns)):
            if at % stride[name] == 0:
                timings[name][at] = turns[name]()
    gc.unfreeze()
    return timings


def _stride(times_slower: float, rounds: int) -> int:
    """Every how many rounds to take part: a power of two, so that the slow ones meet."""
    stride = 1
    while stride * SLOW < times_slower and stride * 2 * FEWEST <= rounds:
        stride *= 2
    return stride


def ratio(timings: Timings, name: str, to: str) -> float:
    """How many times as long `name` took as `to`: the median over the rounds in which both took part."""
    shared = timings[name].keys() & timings[to].keys()
    return statistics.median(timings[name][at] / timings[to][at] for at in shared)


def microseconds(timings: Timings, name: str, ops: int) -> float:
    """The median time per op, in microseconds."""
    return 1e6 * statistics.median(timings[name].values()) / ops
