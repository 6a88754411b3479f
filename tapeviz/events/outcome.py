"""EventLog -> what its backward passes gave, at a cost that every step of a training can pay.

The engine's tensors have ids that stay from log to log, so its raw records say it all. The log of another framework, or
from a file, is read as any reader does, and its variables are known again by their names.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import compress, count
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tapeviz.events.alike import FormedLog
from tapeviz.events.log import EventLog
from tapeviz.events.norms import norms
from tapeviz.events.raw import ATTRS, CODE, INPUTS, KIND, LASTI, OUTPUTS, STRIDE, VALUES, Mentioned
from tapeviz.events.summary import HUGE, TINY, summary_of
from tapeviz.events.types import (
    BackwardFinished,
    BackwardStarted,
    LeafCreated,
    Site,
    StateWritten,
    TapeOpened,
    TensorInfo,
)
from tapeviz.events.values import is_value, read_spec, readable
from tapeviz.events.window import Window

SourceKey: TypeAlias = "int | SourceIdentity"
"""The raw id of a tensor of the engine, or what identifies any other."""

Outcome: TypeAlias = tuple[SourceKey, Any, Any]
"""A source, its value at the time (None: the log does not say), and its gradient: None, an array, or the spec, norm or
summary of one. Of another framework's, which the program may go on to change in place, there are no arrays."""


class SourceIdentity(NamedTuple):
    """A source that is the same in every log: by its role and name, or, without a name, by the line that made it."""

    role: str
    name: str | None
    site: Site | None


_LEAVES = frozenset((Mentioned, LeafCreated))
_READ = frozenset((Mentioned, LeafCreated, StateWritten, BackwardStarted, BackwardFinished))


def outcomes(log: EventLog) -> list[Outcome]:
    """One outcome per tensor that a gradient was asked for, the last where it was asked for several times.

    Nothing is folded and nothing copied: the arrays are the program's own.

    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0)
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> _ = tape.gradient(y, x)
    >>> [outcome[1:] for outcome in outcomes(tape.log)]
    [(np.float32(3.0), np.float32(6.0))]
    """
    if not log.facts.keeps_ids or not log.end:
        return list(_from_events(log))
    tape = log.tape if isinstance(log, Window) else None
    if log.packed.length and tape is not None and _has_all_of(log.raw, tape):
        found = _from_records(log.raw, tape)
        if all(value is not None for _, value, _ in found):  # None: an older record says what the source was
            return found
    return _from_records(log.records(), tape)


class Successive:
    """The outcomes of logs that come one after the other, as of the steps of a training.

    Of a log that is like the one before it no event is made.
    """

    def __init__(self) -> None:
        self._last: FormedLog | None = None
        self._keys: list[SourceKey] = []

    def of(self, log: EventLog) -> list[Outcome]:
        """What `outcomes` gives of the next log."""
        if log.facts.keeps_ids or not log.end:
            return outcomes(log)
        formed = FormedLog(log)
        if self._last is not None and formed.is_plain and formed.form == self._last.form:
            found = _from_plain(log.records())
            if found is not None and len(found) == len(self._keys):
                return [(key, *each) for key, each in zip(self._keys, found, strict=True)]
        told = outcomes(log)
        self._last, self._keys = formed if formed.is_plain else None, [key for key, *_ in told]
        return told


def _from_plain(raw: list[Any]) -> list[tuple[Any, Any]] | None:
    """The value and the gradient of each source, in the order in which `_from_events` has them; None where a value is
    not surely that which a pass has read."""
    first: dict[int, Any] = {}
    values: dict[int, Any] = {}
    started: dict[int, tuple[tuple[int, ...], list[Any]]] = {}
    found: dict[int, tuple[Any, Any]] = {}
    kinds = raw[::STRIDE]
    for index in compress(count(), map(_READ.__contains__, kinds)):  # most records are of ops
        kind, at = kinds[index], index * STRIDE
        entry = raw[at + VALUES]
        if kind is BackwardStarted:
            sources = raw[at + OUTPUTS][1]
            if any(each not in first for each in sources):
                return None
            started[raw[at + INPUTS][0]] = sources, [values.get(each) for each in sources]
        elif kind is BackwardFinished:
            sources, held = started.pop(raw[at + INPUTS], ((), []))
            for source, value, gradient in zip(sources, held, entry, strict=False):
                found[source] = value, gradient
        else:
            source = raw[at + OUTPUTS]
            if started or entry is None:  # within a pass
                return None
            first.setdefault(source, entry)
            if is_value(entry):
                values[source] = entry
    if any(found[source][0] is None for source in found.keys() & values.keys()):  # it held something only later
        return None
    entries = [each for both in found.values() for each in both]
    measured = sizes(entries)
    arrived = (
        None if entry is None else read_spec(first[source]) if size is None else size
        for source, entry, size in zip(found, entries[1::2], measured[1::2], strict=True)
    )
    return list(zip(measured[::2], arrived, strict=True))


def sizes(entries: list[Any]) -> list[Any]:
    """The norm of each value among these entries, of all at once; a summary where it does not say all, as of NaN; None
    of no value."""
    values = [None if entry is None or entry is True or not is_value(entry) else entry for entry in entries]
    return [_size(value, length) for value, length in zip(values, norms(values), strict=True)]


def _size(value: Any, length: float | None) -> Any:
    """The norm of a value whose framework gives this one."""
    if length is not None and TINY < length * length < HUGE:
        return np.float64(length)
    array = readable(value)
    is_zero = length == 0 and type(array) is np.ndarray and array.size and not array.any()
    return np.float64(0.0) if is_zero else summary_of(array)


def _has_all_of(raw: list[Any], tape: int) -> bool:
    """Whether all that a tape saw is among these records."""
    return any(kind is TapeOpened and raw[at * STRIDE + INPUTS][0] == tape for at, kind in enumerate(raw[::STRIDE]))


def _from_records(raw: list[Any], tape: int | None) -> list[Outcome]:
    """What records say of the gradients of a tape, or of all."""
    values: dict[int, Any] = {}
    sources: dict[int, tuple[int, ...]] = {}
    found: dict[int, Outcome] = {}
    kinds = raw[::STRIDE]
    for index in compress(count(), map(_READ.__contains__, kinds)):  # most records are of ops
        kind, at = kinds[index], index * STRIDE
        if kind is BackwardStarted:
            run, own, *_ = raw[at + INPUTS]
            if tape is None or own == tape:
                sources[run] = raw[at + OUTPUTS][1]
        elif kind is BackwardFinished:
            run = raw[at + INPUTS]
            for source, gradient in zip(sources.get(run, ()), raw[at + VALUES], strict=False):
                found[source] = (source, values.get(source), gradient)
        else:
            values[raw[at + OUTPUTS]] = raw[at + VALUES]
    return list(found.values())


def _from_events(log: EventLog) -> Iterator[Outcome]:
    """The same, from the events."""
    started = {start.run: (at, start) for at, start in log.of_kind(BackwardStarted).items()}
    found: dict[int, tuple[int, int | None]] = {}
    for event in log.of_kind(BackwardFinished).values():
        if event.run in started:
            at, start = started[event.run]
            found.update((each, (at, got)) for each, got in zip(start.sources, event.gradients, strict=True))
    sites = {event.tensor: event.site for event in log.of_kind(LeafCreated).values()}
    held = sizes([log.entry(source, at) for source, (at, _) in found.items()])
    came = sizes([None if gradient is None else log.entry(gradient) for _, gradient in found.values()])
    for (source, (_, gradient)), size, arrived in zip(found.items(), held, came, strict=True):
        row, site = log.tensors[source], sites.get(source)
        key = SourceIdentity(row.role, row.name, log.sites[site] if site is not None and row.name is None else None)
        yield key, size, (row.shape, row.dtype) if arrived is None and gradient is not None else arrived


def identity(log: EventLog, source: SourceKey) -> Hashable:
    """What stays the same of a source from step to step: a variable is itself, any other the line that makes it."""
    if isinstance(source, SourceIdentity):
        return source
    for raw in _latest_first(log):
        for at in range(0, len(raw), STRIDE):
            kind = raw[at + KIND]
            if raw[at + OUTPUTS] == source and (kind in _LEAVES or type(kind) is str):
                leaf = kind in _LEAVES and raw[at + ATTRS][0] == "variable"
                return source if leaf else (raw[at + CODE], raw[at + LASTI])
    row = _row(log, source)
    return source if row is None or row.role == "variable" else (row.role, row.name)


def _latest_first(log: EventLog) -> Iterator[list[Any]]:
    """The records that are not packed, where most of a step is, before all of them, where some are."""
    yield log.raw
    if log.packed.length:
        yield log.records()


def name_in(log: EventLog, source: SourceKey) -> str | None:
    """The name that the user's source gives to a tensor; for this the log is read in full."""
    if isinstance(source, SourceIdentity):
        return source.name
    row = _row(log, source)
    return None if row is None else row.name


def _row(log: EventLog, source: int) -> TensorInfo | None:
    tensors = log._read().tensors
    dense = tensors.dense(source)
    return None if dense is None else tensors.rows[dense]
