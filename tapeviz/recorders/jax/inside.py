"""A compiled function and its arguments -> the programs that the gradient calls in it differentiate.

The function ran, and gave its results. Here it is traced once more, up to its gradient calls, and what these read is
computed. What a function does besides that, as a callback, is not done again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, NamedTuple, Protocol

import jax
from jax import tree_util
from jax._src import core as traces
from jax.extend import core

from tapeviz.events.attrs import Attrs
from tapeviz.recorders.jax.arguments import Program
from tapeviz.recorders.jax.effects import EFFECTS, without_effects
from tapeviz.recorders.jax.levels import in_place_of_tracers, lowest, unknown_in
from tapeviz.recorders.jax.places import Place
from tapeviz.recorders.jax.printing import Muted
from tapeviz.recorders.session import unheard


class Level(NamedTuple):
    """A loop or branch: `when` it runs, None if it does so for some examples alone; why it is not seen another time."""

    when: Any
    others: str | None


@dataclass(frozen=True)
class CallInside:
    """A gradient call: where, what it differentiates, and the loops and branches around it."""

    place: Place
    program: Program
    levels: tuple[Level, ...]

    @property
    def unknown(self) -> list[Any]:
        """The tracers that are to be computed before it is told of."""
        whens = [each.when for each in self.levels]
        return [each for each in whens if isinstance(each, jax.core.Tracer)] + unknown_in(self.program)


class WrittenLeaf(NamedTuple):
    """Of one leaf of the parameters: the array before a step, the gradient it goes by, if known, and that after."""

    leaf: int
    before: Any
    gradient: Any
    after: Any


class ArrivedGradient(NamedTuple):
    """A gradient that a call of the program has given: which call, and which of its gradients."""

    call: int
    slot: int


class StepRule(Protocol):
    """An optimizer of a library: the `optimizer` itself, how it is called, and what writes the new arrays."""

    optimizer: Any
    name: str
    writes: str

    def goes_by(self, state: Any, params: Any, is_compiled: bool) -> list[tuple[dict[str, Any], Attrs]]:
        """By leaf of the parameters what it has kept of that, and its hyperparameters."""
        ...


class TracedStep(NamedTuple):
    """A step of an optimizer, None if it is not known which, and what it goes by. In a function that is traced, all
    arrays are tracers."""

    optimizer: StepRule | None
    state: Any
    params: Any
    written: list[WrittenLeaf]


@dataclass(frozen=True)
class StepInside:
    """A step in a function that was traced: in the place of arrays are the numbers of arguments and results. A gradient
    is that of a call, as `ArrivedGradient`, or the number of one of the values that are computed."""

    place: Place
    traced: TracedStep

    def of(self, arguments: Sequence[Any], results: Sequence[Any]) -> TracedStep:
        """The step that was made with these."""
        optimizer, *trees, written = self.traced
        state, params = (tree_util.tree_map(lambda slot: arguments[slot], each) for each in trees)
        arrays = [each._replace(before=arguments[each.before], after=results[each.after]) for each in written]
        return TracedStep(optimizer, state, params, arrays)


@dataclass
class Probe:
    """One look into a function: the gradient calls met so far, in its own trace, and the steps of optimizers.

    `unseen` are the places of others, and why they are not seen; `levels` the loops and branches that it is in now.
    """

    trace: Any
    calls: list[CallInside] = field(default_factory=list)
    steps: list[tuple[Place, TracedStep]] = field(default_factory=list)
    unseen: list[tuple[Place, str]] = field(default_factory=list)
    levels: tuple[Level, ...] = ()
    arrived: list[tuple[Any, int, int]] = field(default_factory=list)
    """Tracers of gradients, of which call, and which of its gradients."""
    returned: list[tuple[int, int, int]] = field(default_factory=list)
    """Which results of the function are gradients, of which call, and which of its gradients."""

    @property
    def is_here(self) -> bool:
        """Whether the trace of the function is the one that runs, perhaps below `vmap` or `jvp`."""
        return lowest(traces.trace_ctx.trace) is self.trace

    def seen_steps(
        self, slots: Mapping[int, int], results: Mapping[int, int], unknown: list[Any]
    ) -> Iterator[StepInside]:
        """The steps that go by arguments of the function, and of which the new arrays are results: by their places.

        What was computed of a gradient before is put to what is `unknown`.
        """
        gradients = {id(tracer): ArrivedGradient(call, slot) for tracer, call, slot in self.arrived}

        def place_of(gradient: Any) -> ArrivedGradient | int | None:
            if gradient is None:
                return None
            if id(gradient) not in gradients:
                unknown.append(gradient)
            return gradients.get(id(gradient), len(unknown) - 1)

        for place, (optimizer, *trees, written) in self.steps:
            if all(id(each) in slots for each in tree_util.tree_leaves(trees)):
                state, params = (tree_util.tree_map(lambda each: slots[id(each)], tree) for tree in trees)
                numbers = [
                    WrittenLeaf(leaf, slots[id(before)], place_of(gradient), results[id(after)])
                    for leaf, before, gradient, after in written
                    if id(after) in results
                ]
                yield StepInside(place, TracedStep(optimizer, state, params, numbers))

    @contextmanager
    def within(self, level: Level) -> Iterator[None]:
        """A block that is a loop's, or a branch's."""
        before, self.levels = self.levels, (*self.levels, level)
        try:
            yield
        finally:
            self.levels = before


@dataclass(frozen=True)
class Inside:
    """What is in a compiled function that was called at `around`: its gradient calls, what computes their values, calls
    that are not seen, which of its results are gradients, and the steps of optimizers."""

    around: Place
    calls: list[CallInside]
    unseen: list[tuple[Place, str]]
    returned: list[tuple[int, int, int]]
    steps: list[StepInside]
    _values: Callable[..., Sequence[Any]]
    _handed: Sequence[int | None] = ()
    """Which of the values are arguments as they are, so that an array stays the one that the program has."""

    def computed(self, arguments: Sequence[Any]) -> list[Any]:
        """The values that were unknown, for these arguments."""
        with unheard():
            computed = self._values(*arguments) if self._handed else ()
        handed_on = zip(computed, self._handed, strict=True)
        return [each if slot is None else arguments[slot] for each, slot in handed_on]

    def programs(self, computed: Sequence[Any]) -> Iterator[tuple[Place, Program | None, list[str]]]:
        """By these values, where a gradient is taken, of what, if it is, and why it is not seen another time."""
        values = iter(computed)
        for call in self.calls:
            when = [next(values) if isinstance(each.when, jax.core.Tracer) else each.when for each in call.levels]
            program = in_place_of_tracers(call.program, [next(values) for _ in unknown_in(call.program)])
            entered = list(takewhile(lambda level: level[0], zip(when, call.levels, strict=True)))
            others = [level.others for _, level in entered if level.others]
            yield call.place, program if len(entered) == len(when) else None, others


def inside(
    function: Callable[..., Any],
    arguments: Any,
    around: Place,
    probing: Callable[[Probe], AbstractContextManager[None]],
) -> Inside:
    """Trace `function(arguments)`, called at `around`; while it is `probing`, gradient calls are noted."""
    found: list[Probe] = []
    handed: list[int | None] = []
    steps: list[StepInside] = []

    def reaching(arguments: Any) -> list[Any]:
        probe = Probe(traces.trace_ctx.trace)
        found.append(probe)
        with probing(probe):
            results = tree_util.tree_leaves(function(arguments))
        known = {id(tracer): (call, slot) for tracer, call, slot in probe.arrived}
        probe.returned += [(at, *known[id(each)]) for at, each in enumerate(results) if id(each) in known]
        slots = {id(each): slot for slot, each in enumerate(tree_util.tree_leaves(arguments))}
        unknown = [each for call in probe.calls for each in call.unknown]
        steps.extend(probe.seen_steps(slots, {id(each): at for at, each in enumerate(results)}, unknown))
        handed.extend(slots.get(id(each)) for each in unknown)
        return unknown

    with redirect_stdout(Muted()):  # what it prints has been printed
        closed = jax.make_jaxpr(reaching)(arguments)
    probe = found[0]
    needed = without_effects(closed)
    if needed is None:
        return Inside(around, [], probe.unseen + [(call.place, EFFECTS) for call in probe.calls], [], [], tuple)
    return Inside(around, probe.calls, probe.unseen, probe.returned, steps, jax.jit(core.jaxpr_as_fun(needed)), handed)
