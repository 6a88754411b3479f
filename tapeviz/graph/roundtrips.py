"""Numbers that were read out of tensors and came back as constants -> links, found by equal values."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

import numpy as np

from tapeviz.events import BackwardStarted, LeafCreated, ReadOut, StateWritten, TapeClosed, TapeOpened
from tapeviz.events.summary import elements_of
from tapeviz.events.types import SHARED_MEMORY, TRUTH
from tapeviz.graph.structure import Graph, Link

LARGEST_MATCHED = 1 << 20
"""Bytes up to which a value that was read out is looked for among the leaves."""


def roundtrip_links(graph: Graph) -> Iterator[Link]:
    """The links from computed tensors that were read out to leaves of equal value, made of it or written in memory that
    they share with another library; the latest read-out counts."""
    log = graph.log
    read: dict[bytes | None, list[tuple[int, ReadOut]]] = defaultdict(list)
    for position, event in log.of_kind(ReadOut).items():
        if graph.is_computed(event.tensor) or graph.links_into(event.tensor):
            read[_fingerprint(log.value(event.tensor, position))].append((position, event))
    read.pop(None, None)
    for leaf, created in graph.leaves.items() if read else ():
        if graph.is_computed(leaf) or graph.links_into(leaf):
            continue
        uses = [position for position, _ in graph.consumers(leaf)]
        position = created if created is not None else min(uses, default=-1)
        yield from _link(read.get(_fingerprint(log.value(leaf)), []), leaf, position)
    for position, write in log.of_kind(StateWritten).items() if read else ():
        if write.how == SHARED_MEMORY and not graph.is_computed(write.tensor):
            found = _fingerprint(log.value(write.tensor, position + 1))
            yield from _link(read.get(found, []), write.tensor, position)


def _link(readings: list[tuple[int, ReadOut]], leaf: int, position: int) -> Iterator[Link]:
    """From the last of the tensors that were read out before a position, all with the numbers of a leaf."""
    earlier = bisect_left(readings, position, key=itemgetter(0))
    if earlier:
        reading = readings[earlier - 1][1]
        yield Link(reading.tensor, leaf, position, None, reading.how)


def unseen_links(graph: Graph) -> Iterator[Link]:
    """The links from tensors that were read out to what a function gave that nothing leads to any more.

    For a framework that logs nothing of what is computed of plain numbers: the latest read-out on the same tape counts.
    """
    log = graph.log
    if not log.facts.computes_unseen:
        return
    targets = {target for call in log.of_kind(BackwardStarted).values() for target in call.targets}
    latest: list[ReadOut | None] = []  # on each tape that is open
    for position, event in enumerate(log.events):
        if isinstance(event, TapeOpened):
            latest.append(None)
        elif isinstance(event, TapeClosed) and latest:
            latest.pop()
        elif isinstance(event, ReadOut) and latest and event.how != TRUTH:
            latest[-1] = event
        elif isinstance(event, LeafCreated) and latest and event.tensor in targets:
            reading = latest[-1]
            if reading is not None:
                yield Link(reading.tensor, event.tensor, position, None, reading.how)


def _fingerprint(value: Any) -> bytes | None:
    """The elements of a value as bytes; None if they might be equal by chance, as 0.5 or an array of zeros."""
    array = elements_of(value)
    if array is None or array.dtype.kind not in "fiu":
        return None
    flat = array.astype(np.float64).reshape(-1)
    typed = flat.size == 1 and (flat[0] * 1000).is_integer()
    if typed or (flat.size > 1 and (flat == flat[0]).all()) or not 0 < flat.nbytes <= LARGEST_MATCHED:
        return None
    return flat.tobytes()
