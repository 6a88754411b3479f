"""A function that AutoGraph rewrites -> what is checked when an `if`, `while` or `for` in it gets a tensor.

Each construct is checked once in a graph.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import closing
from types import FrameType
from typing import Any

from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.events.program.autograph import construct_at, loop_at
from tapeviz.tf.tracing.branch_functions import BranchOp, try_functions
from tapeviz.tf.tracing.branches import try_branches, try_expressions
from tapeviz.tf.tracing.collecting import Collecting, collecting, ends_by
from tapeviz.tf.tracing.first_iteration import try_iteration
from tapeviz.tf.tracing.jumps import require_no_jump, require_no_return
from tapeviz.tf.tracing.loop_state import (
    Kind,
    State,
    kind_of,
    require_iteration,
    require_same,
    require_values,
    state_of,
)


class Rewriting:
    """Checks the statements on tensors in a function that AutoGraph rewrites, when it is told of them.

    Args:
        shapes: whether the graph knows the shapes of its arguments.
        before: the statements that were checked in earlier calls.
    """

    def __init__(self, shapes: bool, before: Collection[Any] = ()) -> None:
        self.shapes = shapes and _are_known_around()
        self._before = before
        self._met: set[Any] = set(before)
        self._turning: dict[Any, State] = {}
        self._collecting: dict[Any, Collecting] = {}

    @property
    def met(self) -> Collection[Any]:
        """The statements that have been checked, also in earlier calls."""
        return self._before if len(self._met) == len(self._before) else frozenset(self._met)

    def at_condition(self, frame: FrameType, holds: bool) -> None:
        """Check the statement that a frame is at, whose condition is a tensor.

        Args:
            frame: the frame.
            holds: the value of the condition.

        Raises:
            Exception: TensorFlow's error about the branches, or about a loop after an iteration.
        """
        construct = construct_at(frame)
        if isinstance(construct, ast.While) and ends_by(construct, holds):
            require_iteration(construct, frame)
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
            try_expressions(construct, frame)
        elif isinstance(construct, ast.While):
            self._turning[construct] = state = state_of(construct, frame, self.shapes)
            self._collecting[construct] = Collecting(frame)
            try_iteration(construct, frame, state)

    def at_loop(self, frame: FrameType, parts: Iterator[Any]) -> Iterator[Any]:
        """The elements of a tensor for the `for` that a frame is at.

        While iterating, TensorFlow's errors about the loop are raised.
        """
        loop = loop_at(frame)
        if loop is None:
            return parts
        parts = _at_least_one(parts, loop, frame)
        if loop in self._met:
            return parts
        self._met.add(loop)
        return _watched(collecting(parts, frame), loop, state_of(loop, frame, self.shapes))

    def at_dataset_loop(self, frame: FrameType, parts: Iterator[Any]) -> Iterator[Any]:
        """The same for a loop over a dataset, whose names need values before it, but may change their shapes."""
        loop = loop_at(frame)
        collected = collecting(parts, frame)
        if loop is None or loop in self._met:
            return collected
        self._met.add(loop)
        require_no_return(loop)
        require_values(loop, frame)
        return _watched(collected, loop, state_of(loop, frame, shapes=False))

    def kind_of(self, value: Any) -> Kind:
        """What the graph knows of a value."""
        return kind_of(value, self.shapes)

    def at_functions(self, op: BranchOp, branches: Sequence[Callable[[], Any]]) -> None:
        """Check the functions of an op that calls one of several.

        Raises:
            Exception: TensorFlow's error about them.
        """
        codes = tuple(getattr(each, "__code__", id(each)) for each in branches)
        if codes not in self._met:
            self._met.add(codes)
            try_functions(op, branches)


def _are_known_around() -> bool:
    """Whether the caller of a function knows the shapes of its arguments: it is no graph, or one that knows its own."""
    around = in_graph.get()
    return around is None or (around.rewriting is not None and around.rewriting.shapes)


def _at_least_one(parts: Iterator[Any], loop: ast.For, frame: FrameType) -> Iterator[Any]:
    """The elements for a `for`; if there are none, the names that it carries must have values without them."""
    first = next(parts, None)
    if first is None:
        require_iteration(loop, frame)
        return
    yield first
    yield from parts


def _watched(parts: Generator[Any], loop: ast.For, state: State) -> Iterator[Any]:
    """The elements for a `for`: its body is checked before the first of them, its state before the second.

    What the elements come from is closed at once if there is an error, whose traceback would keep it open.
    """
    with closing(parts):
        first = next(parts, None)
        if first is None:
            return
        try_iteration(loop, sys._getframe(1), state, first)
        yield first
        require_same(state, sys._getframe(1))
        yield from parts
