"""The values of records -> their statistics, of all at once; what a log of norms keeps of a pass when it has ended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tapeviz.events.memory.budget import HOLDS
from tapeviz.events.summaries import summarised
from tapeviz.events.values import SMALL, HeldTensor

Left = dict[int, Any]
"""By the identity of a value, what stays of it."""


def settle(entries: list[Any], at: int, step: int) -> int:
    """Put statistics in the place of each value in every `step`th entry, from index `at` on.

    Of values that take no more memory than those, the elements stay. An entry that is a list, which may still grow, is
    changed as it is. Returns the index to go on from: of the last such list, or past the end.

    >>> entries = [np.zeros(100), (np.float32(1.0), np.ones(100))]
    >>> settle(entries, 0, 1)
    2
    >>> entries[0].summary.zeros, entries[1][0], entries[1][1].summary.norm
    (100, 1.0, 10.0)
    """
    indices = [index for index in range(at, len(entries), step) if isinstance(entries[index], (*HOLDS, list))]
    left = _left(each for index in indices for each in _values_in(entries[index]))
    following = max(at, len(entries) - len(entries) % step + at % step)
    for index in indices:
        entry = entries[index]
        if type(entry) is list:
            entry[:] = [_settled(each, left) for each in entry]
            following = index
        else:
            entries[index] = _settled(entry, left)
    return following


def alone(value: Any) -> Any:
    """What stays of one value."""
    return _settled(value, _left([value]))


def _values_in(entry: Any) -> Iterator[Any]:
    if isinstance(entry, (HeldTensor, np.ndarray)):
        yield entry
    elif isinstance(entry, (tuple, list)):
        for each in entry:
            yield from _values_in(each)


def _left(values: Iterable[Any]) -> Left:
    """What stays of values; of a framework's, all of one class are asked at once."""
    arrays: dict[int, Any] = {}
    held: defaultdict[type[HeldTensor], dict[int, Any]] = defaultdict(dict)
    for each in values:
        if isinstance(each, HeldTensor):
            held[type(each)][id(each)] = each
        elif each.nbytes > SMALL:
            arrays[id(each)] = each
    left: Left = dict(zip(arrays, summarised(list(arrays.values())), strict=True))
    for kind, those in held.items():
        kind.settle(list(those.values()))
        left.update((key, each.let_go()) for key, each in those.items())
    return left


def _settled(entry: Any, left: Left) -> Any:
    if type(entry) is tuple:
        return tuple([_settled(each, left) for each in entry])
    return left.get(id(entry), entry) if isinstance(entry, (HeldTensor, np.ndarray)) else entry
