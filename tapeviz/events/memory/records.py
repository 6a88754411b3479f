"""What writers append -> the raw records of one log: values within a budget, older records packed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import CodeType, MappingProxyType
from typing import Any

from numpy import ndarray

from tapeviz.events.defaults import Defaults
from tapeviz.events.memory.budget import held_bytes, shrink_entries, shrunk
from tapeviz.events.memory.packed_records import CHUNK, LATEST, PackedRecords
from tapeviz.events.memory.settling import alone, settle
from tapeviz.events.raw import KIND, STRIDE, VALUES, ScopeNode
from tapeviz.events.types import BackwardFinished, BackwardStarted
from tapeviz.events.values import HeldTensor, spec

LARGE = 1 << 20
"""Bytes from which on a budget is large."""
ROOM = 16
"""Which part of a large budget is made free at once."""


class Records:
    """Raw records: the latest in `raw`, where writers append them, those before in `packed`."""

    frame: Any = None
    """The user's frame that the last record is of, with its `code` and the `scope` that it runs in."""
    code: CodeType | None = None
    scope: ScopeNode | None = None
    shortcut: tuple[Any, Any] = None, None
    """A frame of the library's that records are far below, and the user's behind it."""
    bytes: int = 0
    packed: PackedRecords = PackedRecords()
    """Nothing, of all logs, until `pack_as_it_grows`: every tape has a log, and most are short."""
    _listeners: Mapping[Any, tuple[Callable[[int], None], ...]] = MappingProxyType({})
    _packs: bool = False
    _shrunk: int = 0

    def __init__(
        self,
        *,
        framework: str = "tapeviz",
        values: str = Defaults.values,
        max_bytes: int = Defaults.max_bytes,
        held: bool = False,
    ) -> None:
        self.framework = framework
        self.raw: list[Any] = []
        self.keeps_values = values != "none"
        self.keeps_norms = values == "norms"  # and of their elements nothing, once a backward pass has ended
        if self.keeps_norms:
            self.subscribe(BackwardFinished, lambda record: self.settle())
        if not self.keeps_values:
            self.keep = spec  # type: ignore[method-assign]  # what is left of the method is none of Python's
        self.max_bytes = max_bytes
        self.held = held  # by `record()`, which closes it: a tape that ends does not
        self.mentioned: set[int] = set()  # the tensors that it mentions
        self.path: dict[Any, ScopeNode] = {}  # the user's open calls, the innermost last
        self.filenames: set[str] = set()  # those that records name
        self.witnessed: set[Any] = set()  # the calls of the user's own functions that a witness has been taken of
        self.lines: dict[str, list[str]] = {}  # of these files, as they were
        self._bindings: dict[int, str] = {}  # the names that the program's variables give to tensors

    def append(
        self,
        kind: Any,
        inputs: Any = None,
        outputs: Any = None,
        values: Any = None,
        attrs: Any = None,
        code: CodeType | None = None,
        lasti: int = -1,
        scope: ScopeNode | None = None,
    ) -> None:
        """Append one record; `events.raw` and the readers say what each kind puts where."""
        self.raw += (kind, inputs, outputs, values, attrs, (), (), scope, code, lasti)
        if code is not None:
            self.filenames.add(code.co_filename)
        if kind in self._listeners:
            for listener in self._listeners[kind]:
                listener(len(self.raw) - STRIDE)

    def subscribe(self, kind: type, listener: Callable[[int], None]) -> None:
        """Call `listener` after every record of a kind that is no op, with the index where it starts in `raw`.

        What it raises is raised in the program, at the call that the record is of.
        """
        self._listeners = {**self._listeners, kind: (*self._listeners.get(kind, ()), listener)}

    def unsubscribe(self, kind: type, listener: Callable[[int], None]) -> None:
        """Call it no longer."""
        others = tuple([each for each in self._listeners.get(kind, ()) if each != listener])
        self._listeners = {**self._listeners, kind: others}

    @property
    def is_heard(self) -> bool:
        """Whether backward passes are listened to as they begin, so that none may be told of later."""
        return BackwardStarted in self._listeners

    def write(self, records: list[Any]) -> None:
        """Append raw records, flat, as they would have been appended one by one."""
        for at in range(0, len(records), STRIDE):
            record = records[at : at + STRIDE]
            record[VALUES] = _kept_by(self, record[VALUES])
            self.raw += record
            for listener in self._listeners.get(record[KIND], ()):
                listener(len(self.raw) - STRIDE)

    @property
    def end(self) -> int:
        """How many entries all records have, those that are settled and those in `raw`."""
        return self.packed.length + len(self.raw)

    def take_back(self, begin: int) -> None:
        """Drop the records from index `begin` on, as far as none of them is packed."""
        since = max(begin - self.packed.length, 0)
        self.bytes -= sum(map(held_bytes, self.raw[since + VALUES :: STRIDE]))
        self._shrunk = min(self._shrunk, since)
        del self.raw[since:]

    def take(self) -> list[Any]:
        """The records, of a log that packs none, which go on elsewhere."""
        taken, self.raw = self.raw, []
        self.bytes = self._shrunk = 0
        return taken

    def records(self) -> list[Any]:
        """All raw records; to be read only."""
        return [*self.packed.records(), *self.raw] if self.packed.length else self.raw

    def _replace(self, end: int, carried: list[Any]) -> None:
        """Drop the records before index `end` of `raw`: `carried` stand in their place."""
        self.raw[:end] = carried
        self.bytes = sum(map(held_bytes, self.raw[VALUES::STRIDE]))
        self._shrunk = 0

    # ----- values -----

    def keep(self, value: Any, /) -> Any:
        """What goes into a record for a value: itself within the budget; its spec where a log keeps none.

        Of one that is alone above the budget, what else is let go leaves: all others need not make room for it.
        """
        if type(value) is ndarray:
            cost = value.nbytes
        elif isinstance(value, HeldTensor):
            cost = value.cost
        else:
            return value
        if self.keeps_norms:
            return self._keep_norms(value, cost)
        if cost > self.max_bytes > 0:  # with a budget of nothing, none stays for which room could be made
            return shrunk(value, {})
        self.bytes += cost
        if self.bytes > self.max_bytes:
            self.shrink()
        return value

    def _keep_norms(self, value: Any, cost: int) -> Any:
        """The same in a log of norms: to make room, all values that there are are settled together."""
        if self.bytes + cost > self.max_bytes:
            self.settle()
        if cost > self.max_bytes:
            return alone(value)
        self.bytes += cost
        return value

    def make_room(self, cost: int) -> bool:
        """Let go of older values, so that some of this cost together find room; whether the budget is so large."""
        if cost > self.max_bytes:
            return False
        self.bytes += cost
        if self.bytes > self.max_bytes:
            self.settle() if self.keeps_norms else self.shrink()
        self.bytes = max(self.bytes - cost, 0)
        return True

    def settle(self) -> None:
        """Keep no elements of the values that there are, but their statistics."""
        self._shrunk = settle(self.raw, self._shrunk + VALUES, STRIDE) - VALUES
        self.bytes = 0
        if self._packs:
            self._pack()

    def shrink(self) -> None:
        """Let the oldest large values go, down to their summaries, until the budget holds.

        A large budget is left with some room: the statistics of many take less time than of one for each that comes.
        """
        done: dict[int, tuple[Any, Any]] = {}
        most = self.max_bytes - (self.max_bytes // ROOM if self.max_bytes >= LARGE else 0)
        self.bytes -= self.packed.shrink(self.bytes - most, done)
        at, freed = shrink_entries(self.raw, self._shrunk + VALUES, STRIDE, self.bytes - most, done)
        self._shrunk = at - VALUES
        self.bytes -= freed
        if self._packs:
            self._pack()

    # ----- what is packed -----

    def pack_as_it_grows(self) -> None:
        """From now on pack the older records whenever a backward pass has ended, or values had to go."""
        self._packs, self.packed = True, PackedRecords()
        self.subscribe(BackwardFinished, lambda record: self._pack())

    def _pack(self) -> None:
        """Pack the records but for the latest, as far as they fill chunks."""
        end = len(self.raw) - LATEST
        if end < CHUNK:
            return
        shrunk = self._shrunk if self.keeps_values else end  # without values there is none to let go
        raw, start = self.raw, 0
        while start + CHUNK <= end:
            within = min(max(shrunk - start, 0), CHUNK)
            self.packed.add(raw[start : start + CHUNK], within // STRIDE)
            start += CHUNK
        del raw[:start]
        self._shrunk = max(self._shrunk - start, 0)


def _kept_by(log: Records, value: Any) -> Any:
    """The value entry of a record as a log keeps it."""
    return tuple([_kept_by(log, each) for each in value]) if type(value) is tuple else log.keep(value)
