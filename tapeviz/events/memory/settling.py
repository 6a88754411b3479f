"""The values of records -> their statistics, of all at once; what a log of norms keeps of a pass when it has ended."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from tapeviz.events.memory.budget import HOLDS
from tapeviz.events.summaries import summarised
from tapeviz.events.values import SMALL, HeldTensor

_MAY_HOLD = (*HOLDS, list)
_VALUES = (HeldTensor, np.ndarray)


def settle(entries: list[Any], at: int, step: int) -> int:
    """Put statistics in the place of each value in every `step`th entry, from index `at` on.

    Of values that take no more memory than those, the elements stay. An entry that is a list, which may still grow, is
    changed as it is. Returns the index to go on from: of the last such list, or past the end.

    >>> entries = [np.zeros(100), (np.float32(1.0), np.ones(100))]
    >>> settle(entries, 0, 1)
    2
    >>> entries[0].summary.zeros, float(entries[1][0]), entries[1][1].summary.norm
    (100, 1.0, 10.0)
    """
    indices = [index for index in range(at, len(entries), step) if isinstance(entries[index], _MAY_HOLD)]
    values: dict[int, Any] = {}
    for index in indices:
        _gather(entries[index], values)
    left = _left(values)
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
    return _settled(value, _left({id(value): value}))


def _gather(entry: Any, values: dict[int, Any]) -> None:
    """Add the values in an entry, by their identity."""
    if isinstance(entry, _VALUES):
        values[id(entry)] = entry
    elif type(entry) is tuple or type(entry) is list:
        for each in entry:
            if isinstance(each, _VALUES):
                values[id(each)] = each
            elif type(each) is tuple:
                _gather(each, values)


def _left(values: dict[int, Any]) -> dict[int, Any]:
    """What stays of values, by their identity; of a framework's, all of one class are asked at once."""
    arrays: dict[int, Any] = {}
    held: defaultdict[type[HeldTensor], dict[int, Any]] = defaultdict(dict)
    for key, each in values.items():
        if isinstance(each, HeldTensor):
            held[type(each)][key] = each
        elif each.nbytes > SMALL:
            arrays[key] = each
    left: dict[int, Any] = dict(zip(arrays, summarised(list(arrays.values())), strict=True))
    for kind, those in held.items():
        left.update(zip(those, kind.settle(list(those.values())), strict=True))
    return left


def _settled(entry: Any, left: dict[int, Any]) -> Any:
    if type(entry) is tuple:
        return tuple([_settled(each, left) if type(each) is tuple else left.get(id(each), each) for each in entry])
    return left.get(id(entry), entry)
