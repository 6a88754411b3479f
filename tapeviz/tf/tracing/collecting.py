"""A loop over tensors in a graph -> the Python lists that it appends to have what they have in TensorFlow after it.

TensorFlow builds one iteration, which appends once: a tensor of the graph of the loop, which is out of scope after it.
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
    """The lists that a frame has when a loop begins, and their lengths after the first iteration."""

    def __init__(self, frame: FrameType) -> None:
        self._begun = next_id()
        lists = {id(each): each for each in frame.f_locals.values() if type(each) is list}
        self._lists = [(each, len(each)) for each in lists.values()]
        self._lengths: list[int] = []

    def turn(self) -> None:
        """Note the end of an iteration. After the first one, the lists have the lengths that they have in a graph."""
        self._lengths = self._lengths or [len(each) for each, _ in self._lists]

    def leave(self) -> None:
        """Shorten the lists at the end of the loop, and mark the tensors of the iteration in them as out of scope."""
        self.turn()
        for (each, before), after in zip(self._lists, self._lengths, strict=True):
            if any(map(self._is_inner, each[before:])):
                each[before:] = [OutOfScope(part) if self._is_inner(part) else part for part in each[before:after]]

    def _is_inner(self, part: Any) -> bool:
        """Whether it is a tensor that a turn made."""
        return isinstance(part, Tensor) and part._id > self._begun


def collecting(parts: Iterator[Any], frame: FrameType) -> Generator[Any]:
    """The elements that the `for` of a frame iterates over. At the end, the lists of the frame are shortened."""
    lists = Collecting(frame)
    try:
        for part in parts:
            yield part
            lists.turn()
    finally:
        lists.leave()


def ends_by(loop: ast.While, holds: bool) -> bool:
    """Whether a `while` ends as its condition `holds` or not. One of several conditions does not decide that alone."""
    several = isinstance(loop.test, (ast.BoolOp, ast.UnaryOp)) or len(getattr(loop.test, "ops", ())) > 1
    return not holds and not several
