"""The numbers of autograd's nodes -> the ops in a log that they belong to; those of long ago are packed.

A graph may be kept for any time, so no number is ever forgotten.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from tapeviz.events.memory.packing import Packer

TOGETHER = 1024
"""How many ops are packed together."""


class LoggedOp:
    """An op with nodes: the raw ids that went in and came out, as its record has them."""

    __slots__ = ("inputs", "outputs")

    def __init__(self, inputs: tuple[Any, ...], outputs: Any) -> None:
        self.inputs = inputs
        self.outputs = outputs


class CompositeOp(LoggedOp):
    """An op of several nodes: only those noted by `note_output` make its outputs, the others are inside."""

    __slots__ = ()


class NumberedOps:
    """Ops in the order of their nodes' numbers.

    Attributes:
        latest: those that are not packed, whose nodes are numbered from `since` on.
        since: the number of the first node behind those that are.
    """

    def __init__(self) -> None:
        self.latest = OpStretch()
        self._late: dict[tuple[int, int], int] = {}
        self._firsts: list[int] = []
        self._packed: list[bytes] = []
        self._packer = Packer()
        self._opened: dict[int, OpStretch] = {}
        self.since = 0

    def add(self, start: int, end: int, inputs: tuple[Any, ...], outputs: Any) -> None:
        """The nodes from `start` up to `end` are those of one op."""
        latest = self.latest
        latest.starts.append(start)
        latest.ends.append(end)
        latest.inputs.append(inputs)
        latest.outputs.append(outputs)
        if len(latest.starts) >= TOGETHER:
            self._firsts.append(latest.starts[0])
            self._packed.append(latest.packed(self._packer))
            self.since = end
            self.latest = OpStretch()
            self.forget()

    def note_output(self, number: int, index: int, raw_id: int) -> None:
        """Note the raw id of the output that a node makes at an index."""
        output_ids = self.latest.output_ids if number >= self.since else self._late
        output_ids[number, index] = raw_id

    def op_of(self, number: int) -> LoggedOp | None:
        """The op that a node belongs to."""
        return self.stretch_of(number).op_of(number)

    def output_at(self, number: int, index: int) -> int | None:
        """The raw id of the output that a node makes at an index, if it was noted."""
        found = self.stretch_of(number).output_ids.get((number, index))
        return self._late.get((number, index)) if found is None else found

    def forget(self) -> None:
        """Release the stretches that were unpacked for reading."""
        self._opened = {}

    def stretch_of(self, number: int) -> OpStretch:
        """The stretch that a number is in, if it is in any."""
        if number >= self.since or number < self._firsts[0]:
            return self.latest
        at = bisect_right(self._firsts, number) - 1
        found = self._opened.get(at)
        if found is None:
            found = self._opened[at] = OpStretch.unpacked(self._packer, self._packed[at])
        return found


class OpStretch:
    """Ops that ran one after the other, and the numbers of their nodes, which are packed together.

    Attributes:
        starts: the number of the first node of each op.
        ends: the number after that of its last node.
        inputs: the raw ids that went in.
        outputs: those that came out.
        output_ids: the raw ids of outputs, by the number of the node and the index of its output.
    """

    __slots__ = ("_made", "ends", "inputs", "output_ids", "outputs", "starts")

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.inputs: list[tuple[Any, ...]] = []
        self.outputs: list[Any] = []
        self.output_ids: dict[tuple[int, int], int] = {}
        self._made: dict[int, LoggedOp] = {}

    def op_of(self, number: int) -> LoggedOp | None:
        """The op that has the node with a number: one object for all its nodes."""
        at = bisect_right(self.starts, number) - 1
        if at < 0 or number >= self.ends[at]:
            return None
        found = self._made.get(at)
        if found is None:
            kind = LoggedOp if self.ends[at] - self.starts[at] == 1 else CompositeOp
            found = self._made[at] = kind(self.inputs[at], self.outputs[at])
        return found

    def packed(self, packer: Packer) -> bytes:
        """The stretch in few bytes."""
        return packer.pack([self.starts, self.ends, self.inputs, self.outputs, self.output_ids])

    @classmethod
    def unpacked(cls, packer: Packer, data: bytes) -> OpStretch:
        """The stretch that was packed."""
        stretch = cls()
        stretch.starts, stretch.ends, stretch.inputs, stretch.outputs, stretch.output_ids = packer.unpack(data)
        return stretch
