"""EventLog -> Graph with additional links for values that were read out and came back changed.

`Graph` itself joins a read-out with a leaf of equal value. Here the user's source says that the number read out at one
line takes part in the leaf made at another, as in `c = tf.constant(np.exp(h.numpy()))`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from tapeviz.events import EventLog, LeafCreated, OpRecorded, OpSkipped, ReadOut, Site, StateWritten, Watched
from tapeviz.events.summary import has_same_elements
from tapeviz.events.types import AN_INDEX, TRUTH
from tapeviz.graph import Graph, Link, build
from tapeviz.source.choices import CHOOSERS, Choices
from tapeviz.source.flow import reaches
from tapeviz.source.places import calls, site_at
from tapeviz.source.text import Texts

Line = tuple[int, int | None]
"""A site and a scope, by their ids in the log."""


COMMUTATIVE = frozenset({"add", "mul"})
"""Ops whose two operands may be swapped."""
INDEXING = "getitem"
STORING = "setitem"
"""The op that stores into a slice; it has a single input if what it stores is a plain number."""


class Arrival(NamedTuple):
    """A plain number became, or was written into, `tensor`, or chose what is in it.

    `slot` is the operand that the number stands in, at the op that read it; None where the whole expression counts.
    """

    tensor: int
    position: int
    site: int
    slot: int | None


def whole_graph(log: EventLog) -> Graph:
    """The graph of a log with the links that only the source shows."""
    graph, texts = build(log), Texts(log)
    choices = Choices(log, texts)
    readings: defaultdict[Line, list[tuple[int, ReadOut]]] = defaultdict(list)
    for position, reading in log.of_kind(ReadOut).items():
        if reading.site is not None and not _is_of_a_choice(reading, choices):
            readings[reading.site, reading.scope].append((position, reading))
    outward = {line: [site for site, _ in calls(log, group[0][0])] for line, group in readings.items()}
    known: dict[tuple[Line, int, int | None], bool] = {}

    def meets(line: Line, arrival: Arrival) -> bool:
        key = (line, arrival.site, arrival.slot)
        if key not in known:
            end = log.sites[arrival.site]
            known[key] = any(
                reaches(texts.of(end), start, end, arrival.slot)
                for start in outward[line]
                if start.filename == end.filename
            )
        return known[key]

    for link in list(_picked(graph)):
        graph.add(link)
    for arrival in list(_arrivals(graph)):
        for line, group in readings.items():
            latest = bisect_left(group, arrival.position, key=lambda each: each[0]) - 1
            if latest >= 0 and group[latest][1].tensor != arrival.tensor and meets(line, arrival):
                for event in _written_there(log, arrival, list(_read_at_once(log, group, latest))):
                    graph.add(Link(event.tensor, arrival.tensor, arrival.position, None, event.how))
    return graph


def _picked(graph: Graph) -> Iterator[Link]:
    """From each tensor that was an index, to what the lookup right after it picked."""
    asked: defaultdict[Line, list[ReadOut]] = defaultdict(list)
    for position, event in graph.log.of_kind(ReadOut, OpRecorded, OpSkipped).items():
        if isinstance(event, ReadOut):
            if event.how == AN_INDEX and event.site is not None:
                asked[event.site, event.scope].append(event)
        elif event.op == INDEXING and event.site is not None:
            for reading in asked.pop((event.site, event.scope), ()):
                yield Link(reading.tensor, event.outputs[0], position, None, reading.how)


def _is_of_a_choice(reading: ReadOut, choices: Choices) -> bool:
    """Whether Python's own `max` or the like compared two tensors: it gives one of them, and no number of its own."""
    choice = choices.by(reading) if reading.how == TRUTH else None
    return choice is not None and choice.word in CHOOSERS


def _read_at_once(log: EventLog, group: list[tuple[int, ReadOut]], latest: int) -> Iterator[ReadOut]:
    """A reading of a line, and those right before it, as a NumPy function reads all that is in a list.

    A variable in it may be met, and watched, as it is read; and what the line calls may run in between, as a model
    does between what is given to its `predict` and what that returns.
    """
    position, reading = group[latest]
    line = site_at(log, position)

    def belongs(at: int) -> bool:
        event = log.events[at]
        return isinstance(event, (LeafCreated, Watched)) or any(_is_within(site, line) for site, _ in calls(log, at))

    yield reading
    for before, earlier in reversed(group[:latest]):
        if not all(belongs(at) for at in range(before + 1, position)):
            break
        yield earlier
        position = before


def _is_within(site: Site, whole: Site | None) -> bool:
    """Whether an expression is another one or a part of it, as `m(x)` is of `m(x).item()`."""
    if whole is None or site.filename != whole.filename:
        return False
    begins, ends = (whole.line, whole.column) <= (site.line, site.column), (site.end_line, site.end_column)
    return begins and ends <= (whole.end_line, whole.end_column)


def _written_there(log: EventLog, arrival: Arrival, readings: list[ReadOut]) -> list[ReadOut]:
    """Of several readings, those whose value the variable has now, if any: so a model is given its weights."""
    if len(readings) < 2 or not isinstance(log.events[arrival.position], StateWritten):
        return readings
    now = log.value(arrival.tensor, arrival.position + 1)
    same = [each for each in readings if has_same_elements(log.value(each.tensor, arrival.position), now)]
    return same or readings


def _arrivals(graph: Graph) -> Iterator[Arrival]:
    log = graph.log
    for tensor, created in graph.leaves.items():
        if graph.links_into(tensor):
            continue
        event = None if created is None else log.events[created]
        if isinstance(event, LeafCreated) and _is_built_in_use(graph, tensor, event):
            continue
        if isinstance(event, LeafCreated) and event.site is not None and created is not None:
            yield Arrival(tensor, created, event.site, None)
        elif log.tensors[tensor].role == "literal" or isinstance(event, LeafCreated):
            yield from _first_use(graph, tensor)
    for position, op in graph.ops.items():
        if op.op == INDEXING and op.site is not None:
            yield Arrival(op.outputs[0], position, op.site, 1)
        elif op.op == STORING and op.site is not None and len(op.inputs) == 1:
            yield Arrival(op.outputs[0], position, op.site, None)
    for position, written in log.of_kind(StateWritten).items():
        if written.value is None and written.site is not None:
            yield Arrival(written.tensor, position, written.site, None)


def _is_built_in_use(graph: Graph, tensor: int, created: LeafCreated) -> bool:
    """Whether the call that made a variable goes on to compute with it, as a layer does that builds itself when called.

    Its weights are no numbers that the call was given.
    """
    if created.kind != "variable" or created.site is None:
        return False
    return any(graph.ops[position].site == created.site for position, _ in graph.consumers(tensor)[:1])


def _first_use(graph: Graph, tensor: int) -> Iterator[Arrival]:
    """The first op that reads a number or a leaf without a line; some frameworks log `2.0 * x` as `x * 2.0`."""
    for position, slot in graph.consumers(tensor)[:1]:
        op = graph.ops[position]
        if op.site is not None:
            yield Arrival(tensor, position, op.site, slot)
            if op.op in COMMUTATIVE and len(op.inputs) == 2 and graph.log.facts.swaps_operands:
                yield Arrival(tensor, position, op.site, 1 - slot)
