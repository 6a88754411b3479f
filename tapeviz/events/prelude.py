"""What happened before a log -> the part of it that the log's own tensors come from.

The flight recorder holds whatever ran lately. A log reads only the ancestors of the tensors it mentions, so that
equal programs read equal logs whatever ran before them in the same process.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from tapeviz.events.raw import CODE, INPUTS, KIND, OUTPUTS, SCOPE, STRIDE, TAPES, Mentioned, Missed
from tapeviz.events.types import BackwardStarted, CotangentAccumulated, LeafCreated, ReadOut, StateWritten

_OF_RUNS = frozenset((BackwardStarted, CotangentAccumulated))
"""Kinds whose inputs are ids of runs and tapes, and beside them numbers that are no ids."""


def mentioned(records: list[Any]) -> set[int]:
    """The raw ids that records mention, whatever their kind; runs and tapes have such ids, too."""
    ids: set[int] = set()
    for start in range(0, len(records), STRIDE):
        if records[start + KIND] not in _OF_RUNS:
            ids.update(_ids(records[start + INPUTS]))
        ids.update(_ids(records[start + OUTPUTS]))
    return ids


def relevant(records: list[Any], wanted: set[int], own: Collection[int] = ()) -> list[Any]:
    """The records that made the `wanted` tensors or read out their ancestors, in order, and those that start at `own`.

    A read-out counts where its number may have come back: the last one in the same call before a wanted constant.
    Of the writes to a variable the last one counts, and only if what went in comes from another wanted tensor: the
    updates of a training loop are no part of what the next step computes.
    """
    origins = _Origins(records, set(wanted))
    wanted = set(wanted)
    kept: list[int] = []
    returning: set[tuple[Any, Any]] = set()
    for start in range(len(records) - STRIDE, -1, -STRIDE):
        kind, inputs, outputs = records[start + KIND], records[start + INPUTS], records[start + OUTPUTS]
        code = records[start + CODE]
        calls = {(records[start + SCOPE], code), (None, code)}  # the flight recorder knows no scope of a read-out
        if start in own:
            keep = True
        elif kind is ReadOut:
            keep = (records[start + SCOPE], code) in returning
            returning -= calls
        elif kind is StateWritten:
            keep = outputs in wanted and origins.counts(start)
        elif type(kind) is str or kind is LeafCreated or kind is Mentioned:
            keep = not wanted.isdisjoint(_ids(outputs))
        else:
            keep = kind is Missed
        if not keep:
            continue
        kept.append(start)
        if kind is not Mentioned:
            wanted.update(_ids(inputs))
        if kind is LeafCreated:
            returning |= calls
    return [entry for start in reversed(kept) for entry in _record(records, start, start in own)]


def _record(records: list[Any], start: int, own: bool) -> list[Any]:
    """One record; what other tapes followed from a leaf's first use on is no part of its origin."""
    record = records[start : start + STRIDE]
    if record[KIND] is Mentioned and not own:
        record[TAPES] = ()
    return record


class _Origins:
    """Where the values come from that were written into variables."""

    def __init__(self, records: list[Any], anchors: set[int]) -> None:
        self._records = records
        self._anchors = anchors
        self._producers: dict[int, int] | None = None
        self._written: set[int] = set()

    def counts(self, write: int) -> bool:
        """Whether a write is its variable's last that carries something over from an anchor; asked last write first."""
        variable, value = self._records[write + OUTPUTS], self._records[write + INPUTS]
        if variable in self._written or value is None or not self._leads_back(value, variable):
            return False
        self._written.add(variable)
        return True

    def _leads_back(self, value: int, variable: int) -> bool:
        pending, seen = [value], {value}
        while pending:
            at = pending.pop()
            if at in self._anchors and at not in (value, variable):
                return True
            start = self._producer(at)
            if start is not None:
                new = set(_ids(self._records[start + INPUTS])) - seen
                seen |= new
                pending += new
        return value in self._anchors

    def _producer(self, tensor: int) -> int | None:
        if self._producers is None:
            self._producers = {
                made: start
                for start in range(0, len(self._records), STRIDE)
                if type(self._records[start + KIND]) is str
                for made in _ids(self._records[start + OUTPUTS])
            }
        return self._producers.get(tensor)


def _ids(entry: Any) -> Iterator[int]:
    if type(entry) is int:
        yield entry
    elif type(entry) is tuple:
        for each in entry:
            yield from _ids(each)
