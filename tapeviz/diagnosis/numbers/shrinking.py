"""Run, sources -> where gradients that are sound but small lost most, each on the path that most of it took.

What the largest gradient passed, too, as the mean of a loss, is left out where others lost as well: it made all small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from math import prod
from typing import NamedTuple

from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import at
from tapeviz.events import Site
from tapeviz.graph import Graph
from tapeviz.phrases import listed
from tapeviz.replay import Run, Step
from tapeviz.source.places import site_at

SMALL = 0.01
"""A gradient is small if its norm is less than so much of the seed's."""
LEAVES = 0.5
"""A step that leaves more of what arrives lost little."""
MOST_NAMED = 3


class Drop(NamedTuple):
    """Ops of a path that ran at one place, `steps` of them and `op` the nearest to the source, whose rules together
    hand on a gradient `left` times as long as what they got."""

    op: int
    left: float
    steps: int

    def __str__(self) -> str:
        """How much is left, in few words."""
        return f"× {self.left:.2g}" + (f" in {self.steps:,} steps" if self.steps > 1 else "")


class Shrunk(NamedTuple):
    """A gradient whose norm is `part` of the seed's, and where it lost most, the worst first; what the largest passed
    and lost, too, is left out if there is a source, `largest`, whose gradient that is."""

    part: float
    losses: list[Drop]
    largest: int | None

    def words(self, name: Callable[[int], str]) -> str:
        """What goes on after "The norm", and comes before the losses; `name`: what a tensor is called."""
        where = "the path that most of it took"
        if self.largest is not None:
            where = f"the part of its path that the largest gradient, of {name(self.largest)}, did not pass"
        return f"is {self.part:.2g} of the seed's: on {where}, most is lost at"


def explanation(question: Question) -> str:
    """A sentence about where a small gradient became small, after a space; "" where it is not, or nowhere by much."""
    call = question.call
    found = shrunk(call.graph, call.run, [question.source]).get(question.source) if call.is_made else None
    if found is None:
        return ""
    named = [_place(question, each) for each in found.losses]
    return f" That {found.words(question.name)} {listed(named)}."


def shrunk(graph: Graph, run: Run, sources: Iterable[int]) -> Mapping[int, Shrunk]:
    """Of those sources whose gradients are small, what is known of it; no others, and none of a Jacobian."""
    norms = {source: _norm(graph, run.gradient(source)) for source in run.sources}
    whole = _seed_norm(run, graph)
    small = [source for source in sources if 0 < norms.get(source, 0.0) < SMALL * whole]
    if not small or run.rows is not None:
        return {}
    paths = _Paths(graph, run)
    largest = max(norms, key=lambda source: norms[source])
    shared = {op for op, _ in paths.of(largest)}
    found = {}
    for source in small:
        passed = paths.losing(source)
        own = [each for each in passed if each[0] not in shared]
        apart = 0 < len(own) < len(passed)
        if passed:
            losses = _losses(graph, own if apart else passed)
            found[source] = Shrunk(norms[source] / whole, losses, largest if apart else None)
    return found


def _losses(graph: Graph, path: Iterable[tuple[int, float]]) -> list[Drop]:
    """The steps of a path by their places, those that lose most."""
    places: dict[tuple[str, Site | None], list[tuple[int, float]]] = {}
    for op, left in path:
        places.setdefault((graph.ops[op].op, site_at(graph.log, op)), []).append((op, left))
    losses = [Drop(lost[0][0], prod(left for _, left in lost), len(lost)) for lost in places.values()]
    return sorted(losses, key=lambda loss: loss.left)[:MOST_NAMED]


class _Link(NamedTuple):
    """An op of a path that leaves little, and the next one: paths that meet share what comes from there on."""

    op: int
    left: float
    after: _Link | None


class _Paths:
    """From each tensor of a run the path to the target that goes by the step that sent most to it, and so on."""

    def __init__(self, graph: Graph, run: Run) -> None:
        self._graph = graph
        self._norm = cache(partial(_norm, graph))
        self._losing: dict[int, _Link | None] = {}
        self._sent: dict[int, tuple[float, Step]] = {}
        for step in run.steps:
            for each in step.contributions:
                length = self._norm(each.cotangent)
                if length > self._sent.get(each.tensor, (0.0, None))[0]:
                    self._sent[each.tensor] = length, step

    def losing(self, tensor: int) -> list[tuple[int, float]]:
        """Those of its ops that leave little, and how much."""
        found, link = [], self._first_losing(tensor)
        while link is not None:
            found.append((link.op, link.left))
            link = link.after
        return found

    def _first_losing(self, tensor: int) -> _Link | None:
        """From a tensor on that is on the path of another, too, it is known."""
        walked: list[tuple[int, float]] = []
        at = tensor
        while at in self._sent and at not in self._losing:
            self._losing[at] = None  # so that a circle ends here
            left, after = self._step(at)
            walked.append((at, left))
            at = after
        link = self._losing.get(at)
        for each, left in reversed(walked):
            if 0.0 < left < LEAVES:
                link = _Link(self._sent[each][1].op, left, link)
            self._losing[each] = link
        return link

    def of(self, tensor: int) -> Iterator[tuple[int, float]]:
        """Its ops, and how much of what arrives each rule hands on to the next tensor of the path."""
        passed = set[int]()
        while tensor in self._sent and tensor not in passed:
            passed.add(tensor)
            op = self._sent[tensor][1].op
            left, tensor = self._step(tensor)
            if left:
                yield op, left

    def _step(self, tensor: int) -> tuple[float, int]:
        """How much the rule that sent most to a tensor hands on of what arrives, 0 where nothing does; the next."""
        length, step = self._sent[tensor]
        arrived = [(self._norm(each), output) for output, each in _arrived(self._graph, step)]
        most, after = max(arrived, default=(0.0, tensor))
        return (length / most if most else 0.0), after


def _arrived(graph: Graph, step: Step) -> Iterator[tuple[int, int]]:
    """The outputs of a step's op that a gradient arrives at, and it."""
    for output, upstream in zip(graph.ops[step.op].outputs, step.upstream, strict=True):
        if upstream is not None:
            yield output, upstream


def _seed_norm(run: Run, graph: Graph) -> float:
    """The norm of what the first step got."""
    arrived = [_norm(graph, each) for step in run.steps[:1] for _, each in _arrived(graph, step)]
    return max((each for each in arrived if each), default=0.0)


def _norm(graph: Graph, cotangent: int | None) -> float:
    """The norm of a cotangent; 0 where there is none, or its numbers were not kept."""
    return 0.0 if cotangent is None else graph.figures.norm(cotangent) or 0.0


def _place(question: Question, loss: Drop) -> str:
    graph = question.call.graph
    return f"`{question.dialect.op(graph.ops[loss.op].op)}`{at(site_at(graph.log, loss.op))} ({loss})"
