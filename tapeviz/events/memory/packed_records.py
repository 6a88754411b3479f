"""The older records of a long recording, packed to a sixth of their memory.

Values that count against the log's budget stay as they are until the budget takes them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.events.memory.budget import shrink_entries
from tapeviz.events.memory.packing import Packer
from tapeviz.events.raw import SCOPE, STRIDE, VALUES, ScopeNode
from tapeviz.events.summary import Packed

CHUNK = 2048 * STRIDE
"""How many entries are packed together."""
LATEST = 1024 * STRIDE
"""How many stay as they were written: an op that changes a tensor looks for the value that it had."""


class PackedRecords:
    """Records in the order they were written; `length` is how many entries they have, `STRIDE` each."""

    def __init__(self) -> None:
        self.length = 0
        self._chunks: list[Chunk] = []
        self._shrunk = 0
        self._packer = Packer()

    def add(self, records: list[Any], shrunk: int) -> None:
        """Pack the next records. Of the first `shrunk` of them no value can be let go any more."""
        chunk = Chunk(records, shrunk, self._packer)
        self._chunks.append(chunk)
        self.length += len(records)
        self._pass(chunk)

    def shrink(self, excess: int, done: dict[int, tuple[Any, Any]]) -> int:
        """Let the oldest large values go, until they count by `excess` bytes less; by how many they do."""
        freed = 0
        while freed < excess and self._shrunk < len(self._chunks):
            chunk = self._chunks[self._shrunk]
            chunk.shrunk, less = shrink_entries(chunk.values, chunk.shrunk, 1, excess - freed, done)
            freed += less
            self._pass(chunk)
        return freed

    def _pass(self, chunk: Chunk) -> None:
        """Go on with the next chunk if nothing of this one can be let go any more."""
        if chunk.shrunk == len(chunk.values):
            chunk.pack_values(self._packer)
            self._shrunk += 1

    def records(self) -> list[Any]:
        """All of them, as they were."""
        return [entry for chunk in self._chunks for entry in chunk.records(self._packer)]


class Chunk:
    """Some records: all columns but the values packed, and the `values`, as long as the budget may take them."""

    def __init__(self, records: list[Any], shrunk: int, packer: Packer) -> None:
        columns: list[Any] = [records[column::STRIDE] for column in range(STRIDE)]
        columns[SCOPE] = _listed(columns[SCOPE])
        self.values: list[Any] = columns.pop(VALUES)
        self.shrunk = shrunk
        self._growing: dict[int, list[Any]] = {}
        self._packed_values: bytes | None = None
        self._packed = packer.pack(columns)

    def pack_values(self, packer: Packer) -> None:
        """Pack the values as well, but for the steps of a backward pass, to which it may still add some."""
        self._growing = {at: each for at, each in enumerate(self.values) if type(each) is list}
        kept = [None if type(each) is list else each for each in self.values]
        self._packed_values = packer.pack(
            [_with(each, Packed, bytes) for each in kept] if _has_statistics(kept) else kept
        )
        self.values = []

    def records(self, packer: Packer) -> list[Any]:
        """The records, one after the other."""
        columns, values = packer.unpack(self._packed), self.values
        if self._packed_values is not None:
            values = [_with(each, bytes, Packed) for each in packer.unpack(self._packed_values)]
            for at, steps in self._growing.items():
                values[at] = steps
        columns.insert(VALUES, values)
        columns[SCOPE] = _linked(*columns[SCOPE])
        return [entry for record in zip(*columns, strict=True) for entry in record]


def _has_statistics(values: list[Any]) -> bool:
    """Whether there are any `Packed`; where no values are kept, entries are the same few objects again and again."""
    entries = {id(each): each for each in values}.values()
    return any(type(each) is Packed or (type(each) is tuple and Packed in map(type, each)) for each in entries)


def _with(entry: Any, kind: type, convert: Callable[[Any], Any]) -> Any:
    """A value entry in which what is of a kind becomes something else.

    As it is packed, `Packed` is plain bytes, which no other is, and which take no call of Python's. A spec stays the
    one object that it is for many.
    """
    if type(entry) is kind:
        return convert(entry)
    if type(entry) is tuple and kind in map(type, entry):
        return tuple([convert(each) if type(each) is kind else each for each in entry])
    return entry


def _listed(nodes: list[ScopeNode | None]) -> tuple[list[tuple[Any, ...]], list[int]]:
    """A row per scope, callers first, with the index of its parent's row; and the index of each node's row, -1 of None.

    A tree of calls may be as deep as Python's stack, and pickle follows references by recursion.
    """
    numbers: dict[ScopeNode | None, int] = {None: -1}
    rows: list[tuple[Any, ...]] = []
    for node in dict.fromkeys(nodes):
        missing, at = [], node
        while at is not None and at not in numbers:
            missing.append(at)
            at = at.parent
        for each in reversed(missing):
            numbers[each] = len(rows)
            rows.append((numbers[each.parent], each.code, each.caller, each.lasti))
    return rows, [numbers[node] for node in nodes]


def _linked(rows: list[tuple[Any, ...]], numbers: list[int]) -> list[ScopeNode | None]:
    """The nodes of these rows."""
    nodes: list[ScopeNode | None] = []
    for parent, code, caller, lasti in rows:
        nodes.append(ScopeNode(nodes[parent] if parent >= 0 else None, code, caller, lasti))
    return [nodes[number] if number >= 0 else None for number in numbers]
