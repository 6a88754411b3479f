"""Forward and reverse mode as they were run: passes, what each is seeded with, and what it finds for every tensor."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias
from unicodedata import normalize

import numpy as np

from tapeviz.phrases import counted
from tapeviz.views.reading import Reading
from tapeviz.views.words import numbers

NONE = "None"
DOT, BAR = "\N{COMBINING DOT ABOVE}", "\N{COMBINING MACRON}"
"""How one marks a tangent and a cotangent: over the first letter."""

ModeName: TypeAlias = Literal["forward", "reverse"]


@dataclass(frozen=True)
class Pass:
    """One pass: its seed, a direction of one tensor; the derivative that it finds for every tensor it reaches; the ops
    in the order in which it comes to them."""

    seeded: int
    direction: Any
    found: Mapping[int, Any]
    ops: tuple[int, ...]

    def text(self, tensor: int) -> str:
        """What the pass finds for a tensor."""
        value = self.found.get(tensor)
        return NONE if value is None else numbers.short_text(value)


class ModePasses(NamedTuple):
    """One of the two modes: the passes of it that were run, how many it takes in all, and what marks what they find."""

    name: ModeName
    mark: str
    passes: tuple[Pass, ...]
    total: int


@dataclass(frozen=True, repr=False)
class BothModes:
    """Forward mode beside reverse mode for one program.

    `forward` and `reverse` are the passes that were run; all of them are counted in `forward_passes`, one for each
    number that goes in, and `reverse_passes`, one for each that comes out.
    """

    reading: Reading
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    forward: tuple[Pass, ...]
    reverse: tuple[Pass, ...]
    forward_passes: int
    reverse_passes: int

    @property
    def both(self) -> tuple[ModePasses, ModePasses]:
        """Forward mode, and reverse mode."""
        return (
            ModePasses("forward", DOT, self.forward, self.forward_passes),
            ModePasses("reverse", BAR, self.reverse, self.reverse_passes),
        )

    @property
    def sentence(self) -> str:
        """The count of passes, in words."""
        ins, outs = self.forward_passes, self.reverse_passes
        return (
            f"{counted(ins, 'number')} in, {counted(outs, 'number')} out: forward mode takes {counted(ins, 'pass')} "
            f"for the whole Jacobian, reverse mode {counted(outs, 'pass')}."
        )

    @property
    def jacobian(self) -> np.ndarray[Any, Any] | None:
        """The derivative of every number that comes out, by row, by every number that goes in: from the passes
        backwards if all were run, else from those forwards; None if some of both were not."""
        if len(self.reverse) == self.reverse_passes:
            return np.stack([self._numbers(each, self.inputs) for each in self.reverse])
        if len(self.forward) == self.forward_passes:
            return np.stack([self._numbers(each, self.outputs) for each in self.forward], axis=1)
        return None

    def _numbers(self, done: Pass, tensors: Sequence[int]) -> np.ndarray[Any, Any]:
        """All numbers that a pass finds for these tensors, one after the other; zeros where it finds none."""
        parts = []
        for tensor in tensors:
            value = done.found.get(tensor)
            parts.append(np.zeros(self.reading.log.tensors[tensor].shape) if value is None else np.asarray(value))
        return np.concatenate([part.ravel() for part in parts])

    def seed(self, done: Pass, mark: str) -> str:
        """The seed of a pass, as one writes it: `ẋ[1] = 1`."""
        at = _subscript(int(np.argmax(done.direction)), done.direction.shape)
        return f"{self.marked(done.seeded, mark)}{at} = 1"

    def marked(self, tensor: int, mark: str) -> str:
        """The name of a tensor with a dot or a bar over its first letter."""
        name = self.reading.names.tensor(tensor)
        return normalize("NFC", f"{name[:1]}{mark}{name[1:]}")

    def elements(self, tensors: Sequence[int]) -> Iterator[str]:
        """A name for every number in some tensors: `w[0, 1]`."""
        for tensor in tensors:
            shape = self.reading.log.tensors[tensor].shape
            for index in range(math.prod(shape)):
                yield self.reading.names.tensor(tensor) + _subscript(index, shape)

    def rows(self) -> Iterator[tuple[int, str, int | None]]:
        """A tensor, the words for it, and the op that makes it, None for an input; in the order of the program."""
        names = self.reading.names
        for tensor in self.inputs:
            yield tensor, names.tensor(tensor), None
        for position in sorted(self.reading.graph.ops):
            op = self.reading.graph.ops[position]
            call = f"{names.function(op)}({', '.join(map(names.tensor, op.inputs))})"
            for output in op.outputs:
                named = names.tensor(output)
                yield output, call if named.startswith(names.function(op)) else f"{named} = {call}", position


def _subscript(index: int, shape: tuple[int, ...]) -> str:
    """Where an element stands: `[0, 1]`; nothing for a scalar."""
    return f"[{', '.join(str(each) for each in np.unravel_index(index, shape))}]" if shape else ""
