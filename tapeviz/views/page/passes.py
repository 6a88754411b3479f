"""Forward and reverse mode as they were run: passes, what each is seeded with, and what it finds for every tensor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from tapeviz.views.words import numbers

NONE = "None"

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
