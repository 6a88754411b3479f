"""A log that is like the one before it -> what was found of that one's sources, with the numbers of this one.

Who records a training step by step has logs that differ in numbers alone. What the tensors are called in them follows
from all that happened, and is worked out for the first: of the next it is enough to see that the same has happened.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import count
from types import NoneType
from typing import Any, TypeAlias

from tapeviz.events.log import EventLog
from tapeviz.events.raw import (
    ATTRS,
    CODE,
    INPUTS,
    KIND,
    LASTI,
    OUTPUTS,
    SCOPE,
    STRIDE,
    TAPES,
    Mentioned,
    Named,
    ScopeNode,
)
from tapeviz.events.types import (
    BackwardFinished,
    BackwardStarted,
    BuffersMeasured,
    CotangentAccumulated,
    GradientCleared,
    GradientRead,
    GradientStored,
    LeafCreated,
    OptimizerCreated,
    OptimizerStepped,
    ParameterUpdated,
    Pruned,
    ReadOut,
    StateWritten,
    TapeClosed,
    TapeOpened,
    Unwatched,
    VjpApplied,
    Watched,
)

_KINDS = frozenset((
    *(BackwardFinished, BackwardStarted, BuffersMeasured, CotangentAccumulated, GradientCleared, GradientRead),
    *(GradientStored, LeafCreated, Mentioned, Named, OptimizerCreated, OptimizerStepped, ParameterUpdated),
    *(Pruned, ReadOut, StateWritten, TapeClosed, TapeOpened, Unwatched, VjpApplied, Watched),
))  # fmt: skip
"""What happens in a plain training, beside ops."""
_TEXT = frozenset((str, bool, NoneType))

Form: TypeAlias = list[Any]
"""All that the names in a log follow from: two logs of equal forms call their tensors the same."""


class FormedLog:
    """A log as it is compared with others: its form, and what has to live as long as that, which has ids of it."""

    def __init__(self, log: EventLog) -> None:
        self.form: Form = []
        self._alive: dict[int, Any] = {}
        self._ids: defaultdict[int, int] = defaultdict(count().__next__)
        self._scopes: dict[ScopeNode | None, int] = {None: -1}
        self._places: dict[tuple[int, int, int, int], int] = {}
        records = log.records()
        is_whole = type(log) is EventLog and not any(tail.records() for _, tail in log._tails)
        self.is_plain = is_whole and all(type(kind) is str or kind in _KINDS for kind in records[::STRIDE])
        if self.is_plain:
            self._read(records)
            self.form += self._places
            self.form += ((self._ids.get(raw_id), name) for raw_id, name in log._bindings.items())
            self.form += ((filename, self._id(lines) if lines else None) for filename, lines in log.lines.items())
            self._scopes = {}

    def _read(self, records: list[Any]) -> None:
        """By columns, which are read in fewer calls than records."""
        ids, numbered, (nodes, codes) = self._ids, self._numbered, (records[SCOPE::STRIDE], records[CODE::STRIDE])
        for column in (INPUTS, OUTPUTS, ATTRS, TAPES):
            self.form += [
                ids[each] if type(each) is int else numbered(each) if each else each for each in records[column::STRIDE]
            ]
        for node in dict.fromkeys(nodes):
            self._scope(node)
        self._alive.update(zip(map(id, codes), codes, strict=True))
        self.form += (*records[KIND::STRIDE], *map(self._scopes.__getitem__, nodes), *map(id, codes))
        self.form += records[LASTI::STRIDE]

    def _numbered(self, entry: Any) -> Any:
        """An entry, with numbers in the order of their first mention in place of ids, and of a literal its type."""
        kind = type(entry)
        if kind is tuple:
            ids, numbered = self._ids, self._numbered
            return tuple(
                [ids[each] if type(each) is int else each if type(each) in _TEXT else numbered(each) for each in entry]
            )
        return self._ids[entry] if kind is int else entry if kind in _TEXT else kind

    def _scope(self, node: ScopeNode | None) -> int:
        found = self._scopes.get(node)
        if found is None:
            assert node is not None
            place = self._scope(node.parent), self._id(node.code), self._id(node.caller), node.lasti
            found = self._scopes[node] = self._places.setdefault(place, len(self._places))
        return found

    def _id(self, obj: Any) -> int:
        self._alive[id(obj)] = obj
        return id(obj)
