"""The value entry of a record -> its bytes against a log's budget, and the summary that takes its place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np

from tapeviz.events.summary import Packed, Summary
from tapeviz.events.values import SMALL, HeldTensor, read_spec

HOLDS = (HeldTensor, tuple, np.ndarray)
"""What an entry is that may hold a value which counts."""


def held_bytes(entry: Any) -> int:
    """The bytes of the values in an entry."""
    if isinstance(entry, HeldTensor):
        return entry.cost
    if type(entry) is tuple:
        known = [each for each in entry if isinstance(each, HOLDS)]
        return sum([each.cost if isinstance(each, HeldTensor) else held_bytes(each) for each in known])
    return int(entry.nbytes) if type(entry) is np.ndarray else 0


def shrunk(entry: Any, done: dict[int, tuple[Any, Any]]) -> Any:
    """An entry with summaries in place of large values.

    An array that is in several records, as a gradient is that is passed on, is summarised once: `done` are those that
    have gone already.
    """
    if isinstance(entry, HeldTensor):
        return entry.left()
    if type(entry) is tuple:
        return tuple([shrunk(each, done) if isinstance(each, HOLDS) else each for each in entry])
    if type(entry) is not np.ndarray or entry.nbytes <= SMALL:
        return entry
    if id(entry) not in done:
        done[id(entry)] = entry, Packed.of(Summary.of(entry))
    return done[id(entry)][1]


def shrink_entries(
    entries: list[Any], at: int, step: int, excess: int, done: dict[int, tuple[Any, Any]]
) -> tuple[int, int]:
    """Summarise every `step`th entry, from index `at` on, until `excess` bytes are freed.

    Returns the index of the next one, and by how many bytes less they count: small values count no longer, either, and
    an array counts in each record that it is in.
    """
    held: dict[int, HeldTensor] = {}
    places: list[int] = []
    freed = 0
    while freed < excess and at < len(entries):
        entry = entries[at]
        if isinstance(entry, HOLDS):
            places.append(at)
            freed += _gathered(entry, held)
        at += step
    _let_go_together(held.values())
    for place in places:
        entries[place] = shrunk(entries[place], done)
    return at, freed


def _gathered(entry: Any, held: dict[int, HeldTensor]) -> int:
    """Put the frameworks' tensors of an entry to those that are `held` already; the bytes that are new."""
    if isinstance(entry, HeldTensor):
        if id(entry) in held:
            return 0
        held[id(entry)] = entry
        return entry.cost
    if type(entry) is tuple:
        return sum([_gathered(each, held) for each in entry if isinstance(each, HOLDS)])
    return int(entry.nbytes) if type(entry) is np.ndarray else 0


def _let_go_together(held: Iterable[HeldTensor]) -> None:
    """Let go of the frameworks' tensors, those of one class at once, which takes less time."""
    kinds: defaultdict[type[HeldTensor], list[HeldTensor]] = defaultdict(list)
    for each in held:
        kinds[type(each)].append(each)
    for kind, those in kinds.items():
        kind.let_go_of(those)


def without_values(entry: Any) -> Any:
    """An entry with the spec of each array; single numbers stay."""
    if type(entry) is tuple:
        return tuple([without_values(each) for each in entry])
    placement = entry.placement if isinstance(entry, HeldTensor) else None
    spec = read_spec(entry) if isinstance(entry, (np.ndarray, HeldTensor, Packed)) else entry
    return spec if placement is None else (*spec, placement)
