"""The flight recorder: a bounded memory of the last raw records from outside every recording.

Records are appended to a chunk; full chunks are dropped oldest first, whole. Taking the tail costs nothing:
a chunk only ever grows, so a list and a length say what was there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tapeviz.events.raw import STRIDE, Missed

CHUNKS = 4


class Tail:
    """The records a ring held at one moment: chunks, where in the last they end, and whether older ones were lost."""

    __slots__ = ("chunks", "end", "missed", "start")

    def __init__(self, chunks: tuple[list[Any], ...], start: int, end: int, missed: bool) -> None:
        self.chunks = chunks
        self.start = start
        self.end = end
        self.missed = missed

    def records(self) -> list[Any]:
        """The records as one flat list, led by a `Missed` record where older ones were lost."""
        records: list[Any] = [Missed, *[None] * (STRIDE - 1)] if self.missed else []
        last = len(self.chunks) - 1
        for at, chunk in enumerate(self.chunks):
            records += chunk[self.start if at == 0 else 0 : self.end if at == last else len(chunk)]
        return records


class Ring:
    """A bounded list of raw records; `size` is how many are surely kept."""

    __slots__ = ("_chunks", "_dropped", "_per_chunk", "chunk")

    def __init__(self, size: int) -> None:
        self.resize(size)

    def resize(self, size: int) -> None:
        """Forget everything and keep `size` records from now on."""
        if size < CHUNKS:
            raise ValueError(f"A flight recorder keeps at least {CHUNKS} records, got ring={size}.")
        self._per_chunk = STRIDE * -(-size // (CHUNKS - 1))
        self._chunks: tuple[list[Any], ...] = ([],)
        self._dropped = 0
        self.chunk = self._chunks[-1]

    def append(self, *record: Any) -> None:
        """Append one record of `STRIDE` entries."""
        chunk = self.chunk
        if len(chunk) >= self._per_chunk:
            self._dropped += len(self._chunks) == CHUNKS
            chunk = []
            self._chunks = (*self._chunks[1 - CHUNKS :], chunk)
            self.chunk = chunk
        chunk.extend(record)  # in one go: several threads may be flying

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tail().records())

    def tail(self) -> Tail:
        """Everything the ring holds now."""
        chunks = self._chunks
        return Tail(chunks, 0, len(chunks[-1]), self._dropped > 0)

    def mark(self) -> tuple[list[Any], int]:
        """A place in the ring, for `since`."""
        chunk = self.chunk
        return chunk, len(chunk)

    def since(self, mark: tuple[list[Any], int]) -> Tail:
        """What was appended after `mark`, as far as it is still held."""
        (chunk, length), chunks = mark, self._chunks
        for at, held in enumerate(chunks):
            if held is chunk:
                return Tail(chunks[at:], length, len(chunks[-1]), False)
        return Tail(chunks, 0, len(chunks[-1]), True)
