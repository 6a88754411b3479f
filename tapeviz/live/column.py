"""Outcomes of one variable, step by step -> its norms and states over the steps, as parallel arrays."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

import numpy as np

from tapeviz.events.outcome import Outcome
from tapeviz.live.measure import FINE, STATES, measured


@dataclass
class Column:
    """One variable over the steps: parallel arrays, and the step at which each odd state was first met.

    `value_state` is that of the last of its values: one that is NaN is told from one that was not kept.
    """

    name: str
    steps: array[int] = field(default_factory=lambda: array("q"))
    gradients: array[float] = field(default_factory=lambda: array("d"))
    values: array[float] = field(default_factory=lambda: array("d"))
    states: array[int] = field(default_factory=lambda: array("B"))
    began: dict[str, int] = field(default_factory=dict)
    value_state: int = FINE
    waiting: list[tuple[int, Outcome]] = field(default_factory=list)

    def measure(self, stride: int) -> None:
        """Measure what waits, all of it together, and keep every `stride`-th step."""
        if not self.waiting:
            return
        numbers, found = zip(*self.waiting, strict=True)
        _, values, gradients = zip(*found, strict=True)
        self.waiting = []
        steps = np.array(numbers, np.int64)
        norms, states = measured(gradients)
        for state in set(states.tolist()) - {FINE}:
            self.began.setdefault(STATES[state], int(steps[np.argmax(states == state)]))
        kept = steps % stride == 0
        self.steps.frombytes(steps[kept].tobytes())
        self.gradients.frombytes(norms[kept].tobytes())
        sizes, odd = measured(values)
        self.values.frombytes(sizes[kept].tobytes())
        self.value_state = int(odd[kept][-1]) if kept.any() else self.value_state
        self.states.frombytes(states[kept].tobytes())

    def append(self, step: int, gradient: float, value: float, state: int) -> None:
        """Append one step that was measured before."""
        self.steps.append(step)
        self.gradients.append(gradient)
        self.values.append(value)
        self.states.append(state)

    def thin(self, stride: int) -> None:
        """Keep every `stride`-th step."""
        kept = np.array(self.steps, np.int64) % stride == 0
        for name in ("steps", "gradients", "values", "states"):
            old = getattr(self, name)
            setattr(self, name, array(old.typecode, np.array(old)[kept].tobytes()))
