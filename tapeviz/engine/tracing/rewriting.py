"""A graph of a function that AutoGraph rewrites -> what is looked at where its `if`, `while` and `for` meet tensors.

A construct is looked at once in a graph.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from types import FrameType
from typing import Any

from tapeviz.engine.tracing import choices
from tapeviz.engine.tracing.branches import try_branches, try_choices
from tapeviz.engine.tracing.building import in_graph
from tapeviz.engine.tracing.collecting import Collecting, collecting, ends_by
from tapeviz.engine.tracing.jumps import require_no_jump
from tapeviz.engine.tracing.loop_state import Kind, State, kind_of, require_same, state_of
from tapeviz.engine.tracing.turns import try_turn
from tapeviz.events.program.autograph import construct_at, loop_at


class Rewriting:
    """Told of each condition and each loop of the user's, it looks at those that it had not met before.

    `shapes` says whether the graph knows those of its arguments.
    """

    def __init__(self, shapes: bool, before: Collection[Any] = ()) -> None:
        self.shapes = shapes and _are_known_around()
        self._before = before
        self._met: set[Any] = set(before)
        self._turning: dict[Any, State] = {}
        self._collecting: dict[Any, Collecting] = {}

    @property
    def met(self) -> Collection[Any]:
        """The constructs that were looked at, or had been `before`."""
        return self._before if len(self._met) == len(self._before) else frozenset(self._met)

    def at_condition(self, frame: FrameType, holds: bool) -> None:
        """A tensor is the condition of a construct that a frame is at, and `holds` or not.

        Raises:
            Exception: what TensorFlow says of its branches, or of a loop after one iteration.
        """
        construct = construct_at(frame)
        if construct in self._turning:
            require_same(self._turning.pop(construct), frame)
        if construct in self._collecting:
            self._collecting[construct].turn()
            if ends_by(construct, holds):
                self._collecting.pop(construct).leave()
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
            self._turning[construct] = state = state_of(construct, frame, self.shapes)
            self._collecting[construct] = Collecting(frame)
            try_turn(construct, frame, state)

    def at_loop(self, frame: FrameType, parts: Iterator[Any]) -> Iterator[Any]:
        """The parts of a tensor that a `for` of a frame goes over; an error comes after the first turn."""
        loop = loop_at(frame)
        if loop is None or loop in self._met:
            return parts
        self._met.add(loop)
        return _watched(collecting(parts, frame), loop, state_of(loop, frame, self.shapes))

    def kind_of(self, value: Any) -> Kind:
        """What the graph knows of a value."""
        return kind_of(value, self.shapes)

    def at_choice(self, op: choices.Chooser, branches: Sequence[Callable[[], Any]]) -> None:
        """An op chooses one of several functions.

        Raises:
            Exception: what TensorFlow says of them.
        """
        codes = tuple(getattr(each, "__code__", id(each)) for each in branches)
        if codes not in self._met:
            self._met.add(codes)
            choices.try_functions(op, branches)


def _are_known_around() -> bool:
    """Whether what calls a function knows the shapes of the arguments: no graph, or one that knows those of its own."""
    around = in_graph.get()
    return around is None or (around.rewriting is not None and around.rewriting.shapes)


def _watched(parts: Iterator[Any], loop: ast.For, state: State) -> Iterator[Any]:
    """What a `for` goes over; a turn is tried before the first one, and the state is compared after that."""
    first = next(parts, None)
    if first is None:
        return
    try_turn(loop, sys._getframe(1), state, first)
    yield first
    require_same(state, sys._getframe(1))
    yield from parts
