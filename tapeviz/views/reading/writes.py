"""Graph and runs -> the writes of variables that a gradient would have had to pass; all others are updates.

A gradient has to pass what was written on the way from one of its sources to its target, since the tape was opened.
What an optimizer writes is on the way to the target of the next step, but was there before that began. In PyTorch,
which has no tapes that are opened, a step begins with the first op on the way that is followed. And a gradient does not
have to pass what the program computes while recording is paused.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from tapeviz.events import Event, OpRecorded, OpSkipped, StateWritten
from tapeviz.graph import Graph, Link
from tapeviz.replay import Run
from tapeviz.views.reading.openings import Openings


def writes_on_the_way(graph: Graph, runs: Sequence[Run], openings: Openings) -> Iterator[Link]:
    """The links of such writes."""
    written = [at for at, event in graph.log.of_kind(StateWritten).items() if event.value is not None]
    before = -1
    for run in runs:
        start = openings.last(run.tape, run.position)
        start = max(start, before) if graph.log.facts.records_always else start
        before = run.position
        if bisect_right(written, start) < bisect_left(written, run.position):
            yield from _between(graph, run, start)


def _between(graph: Graph, run: Run, start: int) -> Iterator[Link]:
    """Those of one run, after the position where it may have begun."""
    reached = set(run.sources)
    links = graph.back(run.targets, lambda link: link.position < run.position, since=start + 1)
    begun = not graph.log.facts.records_always
    for link in sorted(links, key=_position):
        event = graph.log.events[link.position]
        begun = begun or isinstance(event, OpRecorded)
        if begun and link.tail in reached and not _is_paused(event):
            reached.add(link.head)
            if isinstance(event, StateWritten):
                yield link


def _is_paused(event: Event) -> bool:
    """Whether it is an op that ran while a tape was paused."""
    return isinstance(event, OpSkipped) and any(reason == "paused" for _, reason in event.tapes)


def _position(link: Link) -> int:
    return link.position
