"""Columns of a history -> where each trouble began: the step, the variable, and what it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tapeviz.live.column import Column

VANISHED = 1e-4
"""Of the largest gradient norm of the same step: a smaller one vanishes."""
EXPLODED = 1e3
"""Times the geometric mean of the variable's own earlier norms: a larger one explodes."""
EARLIER = 3
"""So many norms make a mean worth comparing with."""


class Trouble(NamedTuple):
    """At `step`, and not before, the gradient of `variable` was `what`."""

    step: int
    variable: str
    what: str

    def __str__(self) -> str:
        return f"step {self.step}: the gradient of {self.variable} {_VERBS.get(self.what, f'is {self.what}')}"


_VERBS = {"vanishing": "vanishes", "exploding": "explodes", "zero": "is 0 everywhere"}


def troubles(columns: Sequence[Column]) -> list[Trouble]:
    """All troubles of a history, the earliest first."""
    largest: dict[int, float] = {}
    for column in columns:
        for step, norm in zip(column.steps, column.gradients, strict=True):
            largest[step] = max(norm, largest.get(step, 0.0)) if np.isfinite(norm) else largest.get(step, 0.0)
    found = [trouble for column in columns for trouble in _of(column, largest)]
    return sorted(found, key=lambda trouble: trouble.step)


def _of(column: Column, largest: dict[int, float]) -> Iterator[Trouble]:
    """The troubles of one variable; `largest` is the largest gradient norm of each step."""
    for what, step in column.began.items():
        if what != "not kept":
            yield Trouble(step, column.name, what)
    steps, norms = np.array(column.steps), np.array(column.gradients)
    sound = np.isfinite(norms) & (norms > 0)
    steps, norms = steps[sound], norms[sound]
    small = norms < VANISHED * np.array([largest[step] for step in steps.tolist()])
    if small.any():
        yield Trouble(int(steps[np.argmax(small)]), column.name, "vanishing")
    usual = np.exp(np.cumsum(np.log(norms)) / np.arange(1, len(norms) + 1))
    large = norms[EARLIER:] > EXPLODED * usual[EARLIER - 1 : -1]
    if large.any():
        yield Trouble(int(steps[EARLIER:][np.argmax(large)]), column.name, "exploding")
