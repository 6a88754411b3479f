"""A compiled function and its arguments -> the programs that the gradient calls in it differentiate.

The function ran, and gave its results. Here it is traced once more, up to its gradient calls, and what these read is
computed. What a function does besides that, as a callback, is not done again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, redirect_stdout
from dataclasses import dataclass, field
from typing import Any

import jax
from jax._src import core as traces
from jax.extend import core

from tapeviz.recorders.jax.arguments import Program
from tapeviz.recorders.jax.effects import EFFECTS, without_effects
from tapeviz.recorders.jax.levels import in_place_of_tracers, lowest, unknown_in
from tapeviz.recorders.jax.places import Place
from tapeviz.recorders.jax.printing import Muted


@dataclass
class Probe:
    """One look into a function: what the gradient calls met so far differentiate, in its own trace, and where.

    `unseen` are the places of others, and why they are not seen.
    """

    trace: Any
    calls: list[tuple[Place, Program]] = field(default_factory=list)
    unseen: list[tuple[Place, str]] = field(default_factory=list)

    @property
    def is_here(self) -> bool:
        """Whether the trace of the function is the one that runs, perhaps below `vmap` or `jvp`."""
        return lowest(traces.trace_ctx.trace) is self.trace


@dataclass(frozen=True)
class Inside:
    """What is in a compiled function that was called at `around`: its gradient calls, what computes their values, and
    calls that are not seen."""

    around: Place
    calls: list[tuple[Place, Program]]
    unseen: list[tuple[Place, str]]
    _values: Callable[..., Sequence[Any]]

    def programs(self, arguments: Sequence[Any]) -> Iterator[tuple[Place, Program]]:
        """What each gradient call differentiates, for these arrays as arguments."""
        values = iter(self._values(*arguments) if self.calls else ())
        for place, program in self.calls:
            yield place, in_place_of_tracers(program, [next(values) for _ in unknown_in(program)])


def inside(
    function: Callable[..., Any],
    arguments: Any,
    around: Place,
    probing: Callable[[Probe], AbstractContextManager[None]],
) -> Inside:
    """Trace `function(arguments)`, called at `around`; while it is `probing`, gradient calls are noted."""
    found: list[Probe] = []

    def reaching(arguments: Any) -> list[Any]:
        probe = Probe(traces.trace_ctx.trace)
        found.append(probe)
        with probing(probe):
            function(arguments)
        return [each for _, program in probe.calls for each in unknown_in(program)]

    with redirect_stdout(Muted()):  # what it prints has been printed
        closed = jax.make_jaxpr(reaching)(arguments)
    probe = found[0]
    needed = without_effects(closed)
    if needed is None:
        return Inside(around, [], probe.unseen + [(place, EFFECTS) for place, _ in probe.calls], tuple)
    return Inside(around, probe.calls, probe.unseen, jax.jit(core.jaxpr_as_fun(needed)))
