"""A code object -> what is looked up of it again and again, made once: a long one is long to go over, and to hash."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import CodeType
from typing import NamedTuple

from tapeviz.source.sites import Span, begin_of, positions_of, span_of


class Code(NamedTuple):
    """One code object. Equal ones, as of a cell that was run again, have one number.

    `moved` says how far its lines had been moved to the left when they were compiled.
    """

    code: CodeType
    number: int
    moved: int
    opcodes: bytes
    positions: Sequence[int]

    def instruction(self, lasti: int) -> int:
        """Where an instruction begins, of which a frame may stand in the cache."""
        return begin_of(self.opcodes, lasti)

    def span(self, lasti: int) -> Span:
        """Where an instruction stands in its file."""
        return span_of(self.code, lasti, self.moved, self.positions)


class Codes:
    """The code objects that a log mentions, each looked into once and found by its identity."""

    def __init__(self, moved: Callable[[CodeType], int]) -> None:
        self._moved = moved
        self._known: dict[int, Code] = {}
        self._equal: dict[CodeType, Code] = {}

    def of(self, code: CodeType) -> Code:
        """What is known of a code object."""
        known = self._known.get(id(code))
        if known is None:
            equal = self._equal.get(code)
            if equal is None:
                opcodes, positions = code.co_code, positions_of(code)
                equal = self._equal[code] = Code(code, len(self._equal), self._moved(code), opcodes, positions)
            known = self._known[id(code)] = equal._replace(code=code)
        return known
