"""The stacks of a graph's ops -> which of them a call of `gradient` has added, and in which block its tape recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from tapeviz.recorders.tensorflow.compiled.copied_graph import CALLS, UnknownGradientError
from tapeviz.recorders.tensorflow.compiled.stacks import Stack
from tapeviz.recorders.tensorflow.compiled.tape_text import GradientText, TapeText, gradient_at
from tapeviz.recorders.tensorflow.ops import READS

_SWEEP = "tensorflow/python/eager/imperative_grad.py", "imperative_grad"
_GRADIENT = "tensorflow/python/eager/backprop.py", "gradient"
_BETWEEN = "tensorflow/python/autograph/"
_ACCESSES = READS | {"ResourceGather", "ResourceGatherNd"}
"""Ops that read a variable, which a tape watches from then on; of a function that is called it watches all."""
Block: TypeAlias = tuple[TapeText, Stack]
"""The text of a block, and the calls around it."""


class Region(NamedTuple):
    """Ops that follow each other, from `first` to before `end`, which one call has added to compute a gradient."""

    first: int
    end: int
    stack: Stack
    text: GradientText

    @property
    def block(self) -> Block:
        """The block of the tape: several gradients may be taken by the same."""
        return self.text.tape, self.stack[:-1]

    @property
    def opening(self) -> Stack:
        """The stack of the line that opens it."""
        return (*self.stack[:-1], self.stack[-1]._replace(number=self.text.tape.opened))

    def is_around(self, stack: Stack) -> bool:
        """Whether an op was added in that block."""
        depth, tape = len(self.stack) - 1, self.text.tape
        if depth >= len(stack) or stack[:depth] != self.stack[:depth]:
            return False
        own = stack[depth]
        return own.of == self.stack[-1].of and tape.first <= own.number <= tape.last


def regions(stacks: Sequence[Stack]) -> list[Region]:
    """Those of a graph, by the stacks of its ops."""
    found: list[Region] = []
    for at, stack in enumerate(stacks):
        call = _asked_in(stack)
        if call is None:
            continue
        if found and found[-1].end == at and found[-1].stack == call:
            found[-1] = found[-1]._replace(end=at + 1)
            continue
        text = gradient_at(call[-1].file, call[-1].number)
        if text is None:
            raise UnknownGradientError
        found.append(Region(at, at + 1, call, text))
    return found


def accessed_by(op: Any) -> tuple[Any, ...]:
    """The inputs of an op that a tape watches if they are variables."""
    return tuple(op.inputs) if op.type in CALLS else tuple(op.inputs[:1]) if op.type in _ACCESSES else ()


def is_of_gradient(stack: Stack) -> bool:
    """Whether a gradient has added an op."""
    return any(each.is_of(*_SWEEP) for each in stack)


def _asked_in(stack: Stack) -> Stack | None:
    """Of the stack of an op that a gradient has added, the part to the line that asked for it; None of any other."""
    at = next((at for at, each in enumerate(stack) if each.is_of(*_SWEEP)), None)
    if at is None:
        return None
    if not at or not stack[at - 1].is_of(*_GRADIENT):
        raise UnknownGradientError
    call = stack[: at - 1]
    while call and _BETWEEN in call[-1].file:
        call = call[:-1]
    if not call:
        raise UnknownGradientError
    return call
