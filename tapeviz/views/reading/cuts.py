"""Graph and runs -> where each path of a lost gradient ends, and the side of it that is dead.

From a source without a gradient the flood runs towards the target for as long as a gradient could come back the same
way. What it covers is dead; the links where it is stopped are the cuts. In program order these come first, so they
are what the user has to change.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from tapeviz.diagnosis.dialects import spoken_in
from tapeviz.graph import Block, Graph, Link
from tapeviz.replay import Run
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
    found = Cuts()
    for loss in _losses(runs):
        found.of_source.setdefault(loss.source, set())
        _flood(graph, found, loss)
    for link in writes_on_the_way(graph, runs):
        found.words.setdefault((link.tail, link.position, link.slot), link.how)
    return found


class _Loss(NamedTuple):
    """A source without a gradient; `sent` are the arguments (op, slot) that a run sent a gradient to, `ran` its ops."""

    tape: int
    targets: tuple[int, ...]
    source: int
    at: int
    ran: frozenset[int]
    sent: frozenset[tuple[int, int]]


def _losses(runs: Sequence[Run]) -> Iterator[_Loss]:
    for run in runs:
        ran = frozenset(step.op for step in run.steps)
        sent = frozenset((step.op, each.slot) for step in run.steps for each in step.contributions)
        for source, gradient in zip(run.sources, run.gradients or (), strict=False):
            if gradient is None:
                yield _Loss(run.tape, run.targets, source, run.position, ran, sent)


def _flood(graph: Graph, found: Cuts, loss: _Loss) -> None:
    towards = graph.ancestors(loss.targets)
    flooded = {loss.source}
    stopped: list[tuple[Link, Block]] = []
    queue = deque(flooded)
    while queue:
        for link in graph.links_from(queue.popleft()):
            if link.head not in towards:
                continue
            block = _block(graph, link, loss)
            if block is not None:
                stopped.append((link, block))
            elif link.head not in flooded:
                flooded.add(link.head)
                queue.append(link.head)
    if flooded.isdisjoint(loss.targets):
        found.dead |= flooded
        for link, block in stopped:
            key = (link.tail, link.position, link.slot)
            found.words[key] = _word(graph, link, block)
            found.of_source[loss.source].add(key)


def _block(graph: Graph, link: Link, loss: _Loss) -> Block | None:
    """What the graph knows, and what the run showed: a rule that gave no gradient."""
    block = graph.block(link, loss.tape, loss.at)
    if block is None and link.slot is not None and link.position in loss.ran:
        return None if (link.position, link.slot) in loss.sent else "no_derivative"
    return block


def _word(graph: Graph, link: Link, block: Block) -> str:
    speech = spoken_in(graph.log)
    words = {**_WORDS, "paused": speech.off, "unwatched": speech.unwatched}
    if block in words:
        return words[block]
    if block == "integer_dtype":
        return graph.log.tensors[link.tail].dtype
    return "no derivative" if block == "no_derivative" else link.how
