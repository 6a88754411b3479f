"""A loop over tensors in a graph -> the tensors that its turns put into lists of Python's are out of scope behind it.

TensorFlow builds one turn, so that a list gets longer once, by a tensor that only the graph of the loop has.
"""

from __future__ import annotations

import ast
from collections.abc import Generator, Iterator
from types import FrameType
from typing import Any

from tapeviz.engine.tensors.out_of_scope import OutOfScope
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.events.raw import next_id


class Collecting:
    """The lists that a frame has when a loop of its begins, and how long the loop makes them."""

    def __init__(self, frame: FrameType) -> None:
        self._begun = next_id()
        lists = {id(each): each for each in frame.f_locals.values() if type(each) is list}
        self._lists = [(each, len(each)) for each in lists.values()]
        self._lengths: list[int] = []

    def turn(self) -> None:
        """A turn is over: the first one says how long the lists get."""
        self._lengths = self._lengths or [len(each) for each, _ in self._lists]

    def leave(self) -> None:
        """The loop is over."""
        self.turn()
        for (each, before), after in zip(self._lists, self._lengths, strict=True):
            if any(map(self._is_inner, each[before:])):
                each[before:] = [OutOfScope(part) if self._is_inner(part) else part for part in each[before:after]]

    def _is_inner(self, part: Any) -> bool:
        """Whether it is a tensor that a turn made."""
        return isinstance(part, Tensor) and part._id > self._begun


def collecting(parts: Iterator[Any], frame: FrameType) -> Generator[Any]:
    """What a `for` of a frame goes over."""
    lists = Collecting(frame)
    try:
        for part in parts:
            yield part
            lists.turn()
    finally:
        lists.leave()


def ends_by(loop: ast.While, holds: bool) -> bool:
    """Whether a loop is over as a condition in its head `holds` or not: one of several does not tell."""
    several = isinstance(loop.test, (ast.BoolOp, ast.UnaryOp)) or len(getattr(loop.test, "ops", ())) > 1
    return not holds and not several
