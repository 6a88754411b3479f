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


def shrunk(entry: Any, done: dict[int, tuple[Any, Any]]) -> tuple[Any, int]:
    """An entry with summaries in place of large values, and the bytes that frees; small values count no longer.

    An array that is in several records, as a gradient is that is passed on, counts in each of them, but is summarised
    once: `done` are those that have gone already.
    """
    if isinstance(entry, HeldTensor):
        freed = entry.cost
        return entry.left(), freed
    if type(entry) is tuple:
        parts, freed = list(entry), 0
        for at, each in enumerate(entry):
            if isinstance(each, HeldTensor):  # by far the commonest
                freed += each.cost
                parts[at] = each.left()
            elif isinstance(each, HOLDS):
                parts[at], less = shrunk(each, done)
                freed += less
        return tuple(parts), freed
    if type(entry) is not np.ndarray:
        return entry, 0
    if entry.nbytes <= SMALL:
        return entry, entry.nbytes
    if id(entry) not in done:
        done[id(entry)] = entry, Packed.of(Summary.of(entry))
    return done[id(entry)][1], entry.nbytes


def shrink_entries(
    entries: list[Any], at: int, step: int, excess: int, done: dict[int, tuple[Any, Any]]
) -> tuple[int, int]:
    """Summarise every `step`th entry, from index `at` on, until `excess` bytes are freed.

    Returns the index of the next one, and by how many bytes less they count.
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
        entries[place], _ = shrunk(entries[place], done)
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
