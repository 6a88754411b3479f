"""The value entry of a record -> its bytes against a log's budget, and the summary that takes its place."""

from __future__ import annotations

from collections import defaultdict
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
    freed = 0
    while freed < excess and at < len(entries):
        end = _far_enough(entries, at, step, excess - freed)
        freed += _let_go_together(entries[at:end:step])
        for index in range(at, end, step):
            entry = entries[index]
            if isinstance(entry, HeldTensor):
                entries[index] = entry.left()
            elif isinstance(entry, HOLDS):
                entries[index], less = shrunk(entry, done)
                freed += less
        at = end
    return at, freed


def _far_enough(entries: list[Any], at: int, step: int, excess: int) -> int:
    """The index up to which entries count so many bytes; fewer, if they share values."""
    while excess > 0 and at < len(entries):
        entry = entries[at]
        if isinstance(entry, HOLDS):
            excess -= held_bytes(entry)
        at += step
    return at


def _let_go_together(entries: list[Any]) -> int:
    """Let go of the frameworks' tensors in entries, those of one class at once; by how many bytes less they count."""
    kinds: defaultdict[type[HeldTensor], dict[int, HeldTensor]] = defaultdict(dict)
    for entry in entries:
        for each in entry if type(entry) is tuple else (entry,):
            if isinstance(each, HeldTensor):
                kinds[type(each)][id(each)] = each
    freed = sum([each.cost for those in kinds.values() for each in those.values()])
    for kind, those in kinds.items():
        kind.let_go_of(list(those.values()))
    return freed


def without_values(entry: Any) -> Any:
    """An entry with the spec of each array; single numbers stay."""
    if type(entry) is tuple:
        return tuple([without_values(each) for each in entry])
    placement = entry.placement if isinstance(entry, HeldTensor) else None
    spec = read_spec(entry) if isinstance(entry, (np.ndarray, HeldTensor, Packed)) else entry
    return spec if placement is None else (*spec, placement)
