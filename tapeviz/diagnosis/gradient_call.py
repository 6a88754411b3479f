"""A gradient call of a log, made or possible -> its run, its numbers, and what every rule may ask, looked for once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from tapeviz.diagnosis.error.messages import MessagePart, errors_saying, last_before
from tapeviz.diagnosis.numbers.run_numbers import RunNumbers, badness
from tapeviz.diagnosis.paths.trail import Trail
from tapeviz.events import (
    BackwardFinished,
    BackwardStarted,
    EventLog,
    Site,
    StateWritten,
    Unwatched,
    VjpApplied,
    Watched,
)
from tapeviz.events.summary import is_finite
from tapeviz.graph import AncestorSets, Graph, Link, TapeHistory
from tapeviz.replay import Run, runs
from tapeviz.source.assignments import assignment, binding
from tapeviz.source.places import same_line, site_at
from tapeviz.source.syntax import asked_for, opened_in
from tapeviz.source.text import Texts

Found = TypeVar("Found")


@dataclass(frozen=True)
class GradientCall:
    """What `tape.gradient` or `backward` was asked for once: the gradient of some targets by some sources.

    Attributes:
        graph: of the recording.
        tape: the tape that is asked.
        targets: the tensors that are differentiated.
        position: that of its BackwardStarted in the log; None for a call that could be made now.
        replayed: its run, where someone has it already.
        found_without: tensors that were found without a gradient afterwards, which count as asked for, too.
    """

    graph: Graph
    tape: int
    targets: tuple[int, ...]
    position: int | None
    replayed: Run | None = field(default=None, compare=False, repr=False)
    found_without: tuple[int, ...] = ()
    _known: dict[Hashable, Any] = field(default_factory=dict, compare=False, repr=False)

    def once(self, key: Hashable, find: Callable[[], Found]) -> Found:
        """The result of `find`, computed once: many sources of one call ask the same."""
        if key not in self._known:
            self._known[key] = find()
        found: Found = self._known[key]
        return found

    def ancestors_of(self, tensors: Iterable[int]) -> set[int]:
        """Every tensor that took part in these."""
        key = tuple(tensors)
        return self.once(("ancestors", key), lambda: self.graph.ancestors(key))

    def is_made_of(self, tensor: int, source: int) -> bool:
        """Whether a source took part in a tensor, or is that."""
        if source not in self.gradients:
            return self.graph.leads_to(source, tensor)
        return self._parts.has(tensor, source)

    @cached_property
    def _parts(self) -> AncestorSets:
        return self.parts(self.gradients)

    def parts(self, sources: Iterable[int]) -> AncestorSets:
        """In what some sources took part."""
        key = tuple(sources)
        return self.once(("parts", key), lambda: AncestorSets(self.graph, key))

    def links_to(self, tensor: int) -> list[Link]:
        """Every link that leads to a tensor, over whatever links."""
        return self.once(("links", tensor), lambda: self.graph.back([tensor]))

    def about(self, part: int) -> GradientCall:
        """What the call would be if one part of its targets were its target."""
        return self.once(("about", part), lambda: GradientCall(self.graph, self.tape, (part,), self.position))

    # ----- what it gave -----

    @property
    def is_made(self) -> bool:
        """Whether the program made the call."""
        return self.position is not None

    @cached_property
    def run(self) -> Run:
        """The backward pass of a call that was made, as replay makes it of the log."""
        return self.replayed or next(each for each in runs(self.log) if each.position == self.position)

    @cached_property
    def numbers(self) -> RunNumbers:
        """The numbers of the run."""
        return RunNumbers(self.graph, self.run)

    @cached_property
    def gradients(self) -> dict[int, int | None]:
        """Source -> tensor id of the gradient that it got, or None; nothing for a call that was not made.

        Of a call that an error ended it is the first gradient that is not finite, if there is one.
        """
        if not self.is_made:
            return {}
        if self.run.gradients is None:
            parts = (part for step in self.run.steps for part in step.contributions)
            not_finite = (part for part in parts if badness(self.log, part.cotangent) == "nan")
            return next(({part.tensor: part.cotangent} for part in not_finite), {})
        return dict.fromkeys(self.found_without) | dict(zip(self.run.sources, self.run.gradients, strict=True))

    @property
    def arrived(self) -> list[int]:
        """The sources that got a gradient."""
        return [source for source, gradient in self.gradients.items() if gradient is not None]

    @property
    def is_recorders(self) -> bool:
        """Whether the program has no such call: of a function with several results, as a whole training step is."""
        return self.log.facts.takes_scalar_targets_only and len(self.targets) > 1

    @cached_property
    def is_lost(self) -> bool:
        """Whether a target is known to be infinite or NaN."""
        return not all(is_finite(self.log.value(each, self.position)) for each in self.targets)

    def is_moot(self, symptom: str | None) -> bool:
        """Whether a gradient with this symptom needs no finding: a zero, where the target itself is lost."""
        return symptom == "zero" and self.is_lost

    def key(self, source: int | None = None) -> Hashable:
        """A key that the calls of a loop share: the lines of the call and its tensors, and the slot of the source."""
        if self.site is None:
            return (self.position, source)
        if source is None:
            return (None, self._lines)
        return (self._slots[source], self._lines, site_at(self.log, self.graph.made_at(source)))

    @cached_property
    def passed(self) -> frozenset[str]:
        """The names of the ops that the call went through: one line may be that of a function that calls any."""
        return frozenset(self.graph.ops[step.op].op for step in self.run.steps)

    @cached_property
    def _lines(self) -> int:
        """A number for the lines of the call and of its targets."""
        made = (self.graph.made_at(each) for each in self.targets)
        return self.graph.number_of(tuple(site_at(self.log, each) for each in (self.position, *made)))

    @cached_property
    def _slots(self) -> dict[int, int]:
        return {source: slot for slot, source in enumerate(self.gradients)}

    # ----- where it leads -----

    @property
    def history(self) -> TapeHistory:
        """When the tape was open."""
        return self.graph.histories[self.tape]

    @property
    def log(self) -> EventLog:
        return self.graph.log

    @cached_property
    def trail(self) -> Trail:
        """The paths to the targets with the fewest cuts."""
        return Trail(self.graph, self.tape, self.targets, self.position)

    @cached_property
    def followed(self) -> set[int]:
        """The tensors that the tape follows, so that a gradient can arrive there."""
        return self.graph.memory(self.tape, self.position).followed

    def passes(self, link: Link) -> bool:
        """Whether a gradient can pass a link."""
        return self.graph.block(link, self.tape, self.position) is None

    @cached_property
    def reached(self) -> set[int]:
        """The tensors that the gradient arrives at."""
        return self.graph.reached(self.tape, self.targets, self.position)

    @property
    def reached_sources(self) -> list[int]:
        """The sources that the gradient arrives at."""
        return [each for each in self.sources if each in self.reached]

    @cached_property
    def reached_leaves(self) -> list[int]:
        """The leaves that the gradient arrives at, asked for or not."""
        return sorted(self.reached & self.graph.leaves.keys())

    @cached_property
    def reached_unnamed(self) -> list[int]:
        """Those of them that the call does not name."""
        return [each for each in self.reached_leaves if each not in self.named]

    @cached_property
    def led_to_reached(self) -> set[int]:
        """Every tensor that took part in one that the gradient arrives at."""
        return self.graph.ancestors(self.reached)

    @property
    def ancestors(self) -> set[int]:
        """Every tensor that took part in the targets."""
        return self.ancestors_of(self.targets)

    @cached_property
    def own_ancestors(self) -> set[int]:
        """Every tensor that took part in the targets, but for what was written into variables for other calls."""
        own, events = self._own_span, self.log.events
        links = self.graph.back(
            self.targets, lambda link: link.position in own or not isinstance(events[link.position], StateWritten)
        )
        return {*self.targets, *(link.tail for link in links)}

    @property
    def _own_span(self) -> range:
        """The positions from where the tape was opened to the call."""
        return range(self.opened or 0, len(self.log.events) if self.position is None else self.position)

    @property
    def number(self) -> int | None:
        """The number of its run; None if the call was not made."""
        return None if self._started is None else self._started.run

    @property
    def sources(self) -> tuple[int, ...]:
        """The sources that the call asked for; none if it was not made."""
        return () if self._started is None else self._started.sources

    @cached_property
    def _started(self) -> BackwardStarted | None:
        return None if self.position is None else self.log.of_kind(BackwardStarted).get(self.position)

    @property
    def site(self) -> Site | None:
        """The line of the call."""
        return site_at(self.log, self.position)

    @cached_property
    def named(self) -> frozenset[int]:
        """The sources that the call names; one that leaves a gradient in every leaf it meets names none."""
        stores = self._started is not None and self._started.run in self.graph.storing
        return frozenset(() if stores else self.sources)

    @cached_property
    def gives_zeros(self) -> bool:
        """Whether the program has zeros for what did not arrive."""
        finished = None if self._started is None else self.graph.finished.get(self._started.run)
        return finished is not None and finished.zeros

    @property
    def begun_inside(self) -> list[int]:
        """The positions at which other gradient calls began since the tape was opened."""
        own = self._own_span
        return [at for at in self.log.of_kind(BackwardStarted) if at in own]

    @cached_property
    def watches(self) -> dict[int, int]:
        """Tensor -> the position at which the tape was first asked to watch it, for longer than a line."""
        found: dict[int, int] = {}
        passing = self.passing_watches
        for position, event in self.log.of_kind(Watched).items():
            if (event.tape, event.how) == (self.tape, "explicit") and position not in passing:
                found.setdefault(event.tensor, position)
        return found

    @property
    def passing_watches(self) -> set[int]:
        """The positions of watches that the same line ended, and of those ends: a library left the tensor as it was."""
        return self.once("passing watches", lambda: _passing_watches(self.log))

    @cached_property
    def steps(self) -> dict[int, int]:
        """Position of an op -> that of its VJP in this call."""
        started = self._started
        if started is None:
            return {}
        return {each.op: at for at, each in self.log.of_kind(VjpApplied).items() if each.run == started.run}

    def step_before(self, step: int) -> int:
        """The position of the VJP before another of the call; 0 for the first."""
        before = bisect_left(self._steps_in_order, step)
        return self._steps_in_order[before - 1] if before else 0

    @cached_property
    def _steps_in_order(self) -> list[int]:
        return sorted(self.steps.values())

    @cached_property
    def texts(self) -> Texts:
        """The user's source."""
        return Texts(self.log)

    @cached_property
    def arguments(self) -> list[str]:
        """The source texts of the target and of the sources, as far as the call is written out with them."""
        return [] if self.site is None or self._is_within_another else asked_for(self.texts.of(self.site), self.site)

    @property
    def _is_within_another(self) -> bool:
        """Whether the call was made on the way of another one, by what that called: the line has the other's."""
        own = self.position or 0
        ends = {each.run: at for at, each in self.log.of_kind(BackwardFinished).items()}
        begun = [each for at, each in self.log.of_kind(BackwardStarted).items() if at < own]
        site = None if self._started is None else self._started.site
        return any(each.site == site and ends.get(each.run, -1) > own for each in begun)

    @property
    def listed(self) -> Site | None:
        """The line that listed the sources under the name by which the call has them."""
        if len(self.arguments) < 2 or self.site is None:
            return None
        text, name = self.texts.of(self.site), self.arguments[1]
        here = binding(text, name, self.site, whole=True)
        return assignment(text, name, self.site) if here is None and name.isidentifier() else here

    @cached_property
    def tape_name(self) -> str | None:
        """What the line that opened the tape calls it."""
        site = site_at(self.log, self.opened)
        return None if site is None else opened_in(self.texts.of(site), site)

    @property
    def opened(self) -> int | None:
        """The position at which the tape was entered, the last time before the call."""
        return self.history.opened(self.position)


def finished_calls(graph: Graph, before: int | None = None) -> list[GradientCall]:
    """The gradient calls that came to an end, before a position if one is given."""
    end = len(graph.log.events) if before is None else before
    ended = {each.run for at, each in graph.log.of_kind(BackwardFinished).items() if at < end}
    started = graph.log.of_kind(BackwardStarted).items()
    return [GradientCall(graph, each.tape, each.targets, at) for at, each in started if each.run in ended]


def failed_calls(graph: Graph, *parts: MessagePart) -> Iterator[tuple[int, GradientCall]]:
    """(position of the error, the call) for the gradient calls that ended in an error that says one of `parts`."""
    told: set[int] = set()
    for position, _ in errors_saying(graph, *parts):
        at = last_before(graph, position, BackwardStarted, BackwardFinished)
        started = None if at is None else graph.log.events[at]
        if at is not None and isinstance(started, BackwardStarted) and at not in told:
            told.add(at)
            yield position, GradientCall(graph, started.tape, started.targets, at)


def _passing_watches(log: EventLog) -> set[int]:
    last: dict[int, int] = {}
    found: set[int] = set()
    for position, event in log.of_kind(Watched, Unwatched).items():
        if isinstance(event, Watched):
            last[event.tensor] = position
        elif event.tensor in last and same_line(site_at(log, last[event.tensor]), site_at(log, position)):
            found |= {last[event.tensor], position}
    return found
