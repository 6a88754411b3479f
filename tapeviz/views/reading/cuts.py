"""Graph and runs -> where each path of a lost gradient ends, and the side of it that is dead.

From a source without a gradient the flood runs towards the target for as long as a gradient could come back the same
way. What it covers is dead; the links where it is stopped are the cuts. In program order these come first, so they
are what the user has to change.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.graph import Block, Graph, Link
from tapeviz.replay import Run
from tapeviz.source.places import site_at
from tapeviz.views.reading.openings import Openings
from tapeviz.views.reading.writes import writes_on_the_way

_WORDS: dict[Block, str] = {
    "outside_tape": "outside the tape",
    "forgotten": "tape was reset",
    "rebuilt": "rebuilt as a leaf",
}

Key: TypeAlias = tuple[int, int, int | None]
"""A link, by its tail, its position and its slot."""


@dataclass
class Cuts:
    """Dead tensors, the word of each cut link, the cut links of each lost source, and those sources."""

    dead: set[int] = field(default_factory=set)
    words: dict[Key, str] = field(default_factory=dict)
    of_source: dict[int, set[Key]] = field(default_factory=dict)

    @property
    def none(self) -> set[int]:
        """The sources whose gradient is None."""
        return set(self.of_source)


def cuts(graph: Graph, runs: Sequence[Run]) -> Cuts:
    """Find the cuts of every source that got None, and those by a write of sources that got a gradient besides."""
    found, openings = Cuts(), Openings(graph.log)
    for run, lost, since in _losses(graph, runs, openings):
        _Flood(graph, run, lost, since).tell(found)
    for link in writes_on_the_way(graph, runs, openings):
        found.words.setdefault(_key(link), link.how)
    return found


def _losses(graph: Graph, runs: Sequence[Run], openings: Openings) -> Iterator[tuple[Run, list[int], int]]:
    """The sources of each run that got None, and the position from which on to look for their cuts.

    In a loop one line asks for the same again and again: what was there in the round before was looked at then.
    """
    asked: dict[Hashable, int] = {}
    for run in runs:
        lost = [source for source, gradient in zip(run.sources, run.gradients or (), strict=False) if gradient is None]
        line = _line(graph, run)
        opened = run.position if graph.log.facts.records_always else openings.last(run.tape, run.position)
        by_start: defaultdict[int, list[int]] = defaultdict(list)
        for source in dict.fromkeys(lost):
            before = asked.get((line, source), 0)
            by_start[max(min(before, opened), 0)].append(source)
            asked[line, source] = run.position
        for since, sources in by_start.items():
            yield run, sources, since


def _line(graph: Graph, run: Run) -> Hashable:
    """What is the same each time a loop asks: the lines of the call and of its targets."""
    sites = [site_at(graph.log, at) for at in (run.position, *map(graph.made_at, run.targets))]
    return run.position if sites[0] is None else tuple(sites)


class _Flood:
    """The flood from the lost sources of a run: which tensors it covers, and where it ends."""

    def __init__(self, graph: Graph, run: Run, lost: list[int], since: int) -> None:
        self._graph, self._run, self._lost = graph, run, lost
        self._ran = frozenset(step.op for step in run.steps)
        self._sent = frozenset((step.op, each.slot) for step in run.steps for each in step.contributions)
        self._onward: dict[int, list[int]] = {}
        self._stopped: dict[int, list[tuple[Link, Block]]] = {}
        towards = graph.ancestors(run.targets, since)
        queue = deque(lost)
        while queue:
            tensor = queue.popleft()
            if tensor not in self._onward:
                self._onward[tensor], self._stopped[tensor] = [], []
                for link in graph.links_from(tensor, since, run.position):
                    if link.head in towards:
                        self._pass(link)
                queue.extend(self._onward[tensor])

    def _pass(self, link: Link) -> None:
        block = self._block(link)
        if block is None:
            self._onward[link.tail].append(link.head)
        else:
            self._stopped[link.tail].append((link, block))

    def _block(self, link: Link) -> Block | None:
        """Why a link blocks: by the graph, or because a rule gave no gradient in this run."""
        block = self._graph.block(link, self._run.tape, self._run.position)
        if block is None and link.slot is not None and link.position in self._ran:
            return None if (link.position, link.slot) in self._sent else "no_derivative"
        return block

    def tell(self, found: Cuts) -> None:
        """Add the cuts for the sources from which the flood reaches no target."""
        ends = self._ends()
        dead = [source for source in self._lost if ends[source] is not None]
        for source in self._lost:
            found.of_source.setdefault(source, set()).update(ends[source] or ())
        covered = self._covered(dead)
        found.dead.update(covered)
        for link, block in (each for tensor in covered for each in self._stopped[tensor]):
            found.words[_key(link)] = _word(self._graph, link, block)

    def _ends(self) -> dict[int, frozenset[Key] | None]:
        """Tensor -> the links where the flood from it ends; None if it reaches a target.

        The last tensors come first: most have the ends of what they went into, which are looked up and not made anew.
        """
        found: dict[int, frozenset[Key] | None] = {}
        for tensor in sorted(self._onward, key=lambda each: self._graph.producer(each) or 0, reverse=True):
            onward = {id(ends): ends for head in self._onward[tensor] for ends in [found.get(head, frozenset())]}
            if tensor in self._run.targets or None in onward.values():
                found[tensor] = None
                continue
            own = frozenset(_key(link) for link, _ in self._stopped[tensor])
            several = [each for each in (own, *onward.values()) if each]
            found[tensor] = several[0] if len(several) == 1 else frozenset().union(*several)
        return found

    def _covered(self, starts: list[int]) -> dict[int, None]:
        """What is covered from some tensors on, those nearest first."""
        found = dict.fromkeys(starts)
        queue = deque(starts)
        while queue:
            for head in self._onward[queue.popleft()]:
                if head not in found:
                    found[head] = None
                    queue.append(head)
        return found


def _key(link: Link) -> Key:
    return link.tail, link.position, link.slot


def _word(graph: Graph, link: Link, block: Block) -> str:
    say = dialect_of(graph.log).say
    words = {**_WORDS, "paused": say("off"), "unwatched": say("not watched")}
    if block in words:
        return words[block]
    if block == "integer_dtype":
        return graph.log.tensors[link.tail].dtype
    return "no derivative" if block == "no_derivative" else link.how
