"""EventLog, or gradients by name -> Collected: each gradient once, what was summed to it, and its rounding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Any, TypeAlias

import numpy as np

from tapeviz.diagnosis.comparing import rounding
from tapeviz.events import BackwardFinished, EventLog, GradientCleared, GradientStored, StateWritten
from tapeviz.events.summary import elements_of, norm
from tapeviz.graph import Graph, build
from tapeviz.replay import Run, runs

Array: TypeAlias = "np.ndarray[Any, Any]"


@dataclass(frozen=True)
class SideGradient:
    """The gradient of one tensor, None where there is none, and what each of several gradient calls gave of it.

    `calls` counts these; `parts` are none where one was not kept. `kept` says whether the gradient itself was.
    `error` is how far rounding is expected to have put it off, in its own units; `floor` what it may be on top of that
    where nothing is known of how the gradient came about.
    """

    name: str
    value: Array | None
    error: float
    floor: float = 0.0
    parts: tuple[Array, ...] = ()
    calls: int = 1
    kept: bool = True


@dataclass(frozen=True)
class Collected:
    """All gradients of one side: of a recording, whose graph and runs there are then, or given as arrays.

    `package` is what the framework is imported as, "" where that is not known.
    """

    gradients: tuple[SideGradient, ...]
    package: str
    graph: Graph | None = None
    runs: tuple[Run, ...] = ()

    def is_port_of(self, other: Collected) -> bool:
        """Whether the two are of two frameworks, which have weights in layouts of their own."""
        return bool(self.package and other.package) and self.package != other.package


def of_log(log: EventLog) -> Collected:
    """The gradients that a recording ends with: of several calls since the last update their sum, as `.grad` has it."""
    graph = build(log)
    by_number = {run.number: run for run in runs(log) if run.gradients is not None and run.rows is None}
    calls: dict[int, list[int]] = {}
    for source, number in _arrivals(log):
        if number is None:
            calls[source] = []
        elif number in by_number:
            calls.setdefault(source, []).append(number)
    latest = {number for numbers in calls.values() for number in numbers}
    counted = tuple(run for number, run in by_number.items() if number in latest)
    errors = rounding.of_runs(graph, counted)
    stored = {event.tensor: event.gradient for event in log.of_kind(GradientStored).values()}
    found = (
        _summed(log, source, [by_number[each] for each in dict.fromkeys(numbers)], errors, stored.get(source))
        for source, numbers in calls.items()
        if numbers
    )
    return Collected(tuple(found), log.framework, graph, counted)


def _arrivals(log: EventLog) -> Iterator[tuple[int, int | None]]:
    """In order, which source got a gradient of which run; no run where what it had is over."""
    full: dict[int, bool] = {}
    sources = {run.number: run.sources for run in runs(log)}
    for event in log.events:
        match event:
            case GradientCleared(tensor=tensor) | StateWritten(tensor=tensor):
                full[tensor] = True  # what it got is what the recording has, until there is more
            case BackwardFinished(run=number):
                for source in sources.get(number, ()):
                    if full.pop(source, False):
                        yield source, None
                    yield source, number
            case GradientStored(tensor=tensor, run=number, accumulated=False):
                yield tensor, None
                yield tensor, number


def _summed(
    log: EventLog, source: int, calls: Sequence[Run], errors: Mapping[int, float], stored: int | None
) -> SideGradient:
    """The sum of what some calls gave for a source; `stored` is what they left in its `.grad`."""
    name = log.tensors[source].name or f"tensor {source}"
    ids = [found for run in calls if (found := run.gradient(source)) is not None]
    if not ids:
        return SideGradient(name, None, 0.0)
    held = [_floats(log, each) for each in ids]
    parts = tuple(each for each in held if each is not None)
    value = np.asarray(sum(parts)) if len(parts) == len(ids) else _floats(log, stored)
    if value is None:
        return SideGradient(name, None, 0.0, calls=len(ids), kept=False)
    relative = [errors.get(each, 0.0) + rounding.of_sum(log.tensors[each].dtype, len(ids)) for each in ids]
    sizes = [norm(value if each is None else each) for each in held]
    off = [error * size for error, size in zip(relative, sizes, strict=True)]
    error = sqrt(sum(each**2 for each in off if isfinite(each)))
    return SideGradient(name, value, error, parts=parts if len(parts) == len(ids) else (), calls=len(ids))


def _floats(log: EventLog, tensor: int | None) -> Array | None:
    """The elements of a gradient in double precision; None where they were not kept."""
    found = None if tensor is None else elements_of(log.value(tensor))
    return None if found is None or found.dtype.kind not in "fc" else found.astype(np.result_type(found, np.float64))


NEIGHBOURS = 2
"""How many gradients before and after one are of what it may be a sum of: those of the weights of its layer."""


def of_arrays(gradients: Mapping[str, tuple[Array | None, str]], package: str) -> Collected:
    """Gradients that were given as they are, each with the name of its dtype."""
    arrays = {name: value for name, (value, _) in gradients.items() if value is not None}
    relative = {
        dtype: rounding.of_shapes([each.shape for each in arrays.values()], dtype) for _, dtype in gradients.values()
    }
    usual = {name: norm(each) / sqrt(each.size or 1) for name, each in arrays.items()}
    order = {name: at for at, name in enumerate(arrays)}

    def one(name: str, value: Array | None, error: float) -> SideGradient:
        if value is None:
            return SideGradient(name, None, 0.0)
        around = [*usual.values()][max(0, order[name] - NEIGHBOURS) : order[name] + NEIGHBOURS + 1]
        return SideGradient(name, value, error * norm(value), error * max(around) * sqrt(value.size), (value,))

    found = tuple(one(name, value, relative[dtype]) for name, (value, dtype) in gradients.items())
    return Collected(found, package)
