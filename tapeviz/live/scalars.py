"""Columns of a history -> scalars by step, for whoever logs a training: TensorBoard's writers, W&B, trackio."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tapeviz.live.column import Column
from tapeviz.live.measure import NONE, NOT_KEPT
from tapeviz.phrases import kind_of

GRADIENT, VALUE = "grad_norm", "param_norm"
"""What stands before the name of a variable in the tag of a scalar."""

Scalars = Mapping[int, Mapping[str, float]]
"""The scalars of each step, by their tags."""


def scalars(columns: Sequence[Column], first: int = 0) -> Scalars:
    """The norms of gradients and values at each step that is kept; the first step of all is called `first`.

    A gradient that was None, or of which no numbers were kept, has no scalar; one that was NaN is NaN.

    >>> column = Column("w")
    >>> column.append(0, 2.0, 1.0, 0)
    >>> column.append(1, float("nan"), 0.5, NONE)
    >>> scalars([column])
    {0: {'grad_norm/w': 2.0, 'param_norm/w': 1.0}, 1: {'param_norm/w': 0.5}}
    """
    found: dict[int, dict[str, float]] = {}
    for column in columns:
        for step, gradient, value, state in zip(
            column.steps, column.gradients, column.values, column.states, strict=True
        ):
            row = found.setdefault(first + step, {})
            if state not in (NONE, NOT_KEPT):
                row[f"{GRADIENT}/{column.name}"] = gradient
            if state != NOT_KEPT:
                row[f"{VALUE}/{column.name}"] = value
    return {step: found[step] for step in sorted(found)}


def logger(to: Any) -> Callable[[int, Mapping[str, float]], None]:
    """What logs the scalars of a step to a writer with `add_scalar`, or a run with `log`, as such libraries have them.

    Raises:
        TypeError: it has neither.
    """
    if callable(add := getattr(to, "add_scalar", None)):

        def write(step: int, row: Mapping[str, float]) -> None:
            for tag, value in row.items():
                add(tag, value, step)

        return write
    if callable(log := getattr(to, "log", None)):
        return lambda step, row: log(dict(row), step=step)
    raise TypeError(
        f"tv.export: {kind_of(to)} has neither `add_scalar`, as a SummaryWriter has, nor `log`, as a run of W&B or "
        "trackio has; pass one that does, or a path."
    )
