"""Graph and runs -> the writes of variables that a gradient would have had to pass: all others are updates.

A gradient has to pass what was written on the way from one of its sources to its target, since the tape was opened.
What an optimizer writes is on the way to the target of the next step, but was there before that began.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from tapeviz.events import StateWritten, TapeOpened
from tapeviz.graph import Graph, Link
from tapeviz.replay import Run


def writes_on_the_way(graph: Graph, runs: Sequence[Run]) -> Iterator[Link]:
    """The links of such writes."""
    events = graph.log.events
    written = [at for at, event in enumerate(events) if isinstance(event, StateWritten) and event.value is not None]
    opened = [(at, event.tape) for at, event in enumerate(events) if isinstance(event, TapeOpened)]
    before = -1
    for run in runs:
        start = max((at for at, tape in opened if tape == run.tape and at < run.position), default=-1)
        start = max(start, before) if graph.log.customs.records_always else start
        before = run.position
        if bisect_right(written, start) < bisect_left(written, run.position):
            yield from _between(graph, run, start)


def _between(graph: Graph, run: Run, start: int) -> Iterator[Link]:
    """Those of one run, after the position where it may have begun."""
    reached = set(run.sources)
    for link in sorted(graph.back(run.targets, lambda link: start < link.position < run.position), key=_position):
        if link.tail in reached:
            reached.add(link.head)
            if isinstance(graph.log.events[link.position], StateWritten):
                yield link


def _position(link: Link) -> int:
    return link.position
