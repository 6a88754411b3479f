"""A graph of a function that AutoGraph rewrites -> what is looked at where its `if`, `while` and `for` meet tensors.

A construct is looked at once in a graph.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from types import FrameType
from typing import Any

from tapeviz.engine.tracing.branches import try_branches, try_choices
from tapeviz.engine.tracing.jumps import require_no_jump
from tapeviz.engine.tracing.loop_state import State, require_same, state_of, watched
from tapeviz.events.program.autograph import construct_at, loop_at


class Rewriting:
    """Told of each condition and each loop of the user's, it looks at those that it had not met before.

    `shapes` says whether the graph knows those of its arguments.
    """

    def __init__(self, shapes: bool, before: Collection[Any] = ()) -> None:
        self._shapes = shapes
        self._before = before
        self._met: set[Any] = set(before)
        self._turning: dict[Any, State] = {}

    @property
    def met(self) -> Collection[Any]:
        """The constructs that were looked at, or had been `before`."""
        return self._before if len(self._met) == len(self._before) else frozenset(self._met)

    def at_condition(self, frame: FrameType) -> None:
        """A tensor is the condition of a construct that a frame is at.

        Raises:
            Exception: what TensorFlow says of its branches, or of a loop after one iteration.
        """
        construct = construct_at(frame)
        if construct in self._turning:
            require_same(self._turning.pop(construct), frame)
        if construct in self._met:
            return
        self._met.add(construct)
        if isinstance(construct, ast.If):
            loops = [each for each in self._met if isinstance(each, (ast.For, ast.While))]
            try_branches(construct, frame, loops)
            require_no_jump(construct, frame, loops)
        elif isinstance(construct, ast.IfExp):
            try_choices(construct, frame)
        elif isinstance(construct, ast.While):
            self._turning[construct] = state_of(construct, frame, self._shapes)

    def at_loop(self, frame: FrameType, parts: Iterator[Any]) -> Iterator[Any]:
        """The parts of a tensor that a `for` of a frame goes over; an error comes after the first turn."""
        loop = loop_at(frame)
        if loop is None or loop in self._met:
            return parts
        self._met.add(loop)
        return watched(parts, state_of(loop, frame, self._shapes))
