"""A loop in a graph -> the variables that it reads, whose gradients are dense in TensorFlow, never slices."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeviz.engine.recording import NODE, current
from tapeviz.engine.tracing.building import in_graph


@contextmanager
def looping() -> Iterator[None]:
    """A block that is a loop; if it is in a graph, its variables are added to `looped` of the tapes when it ends."""
    traces = current.get().traces if in_graph.get() else ()
    begun = [len(trace.nodes) for trace in traces]
    try:
        yield
    finally:
        for trace, start in zip(traces, begun, strict=True):
            read = {entry for entries in trace.nodes[start + 1 :: NODE] for entry in entries if type(entry) is int}
            trace.looped |= {each for each in read if each in trace.watched and trace.watched[each]._role == "variable"}


def iterations(parts: Iterator[Any]) -> Iterator[Any]:
    """The elements that a loop in a graph goes over; its body runs between one and the next."""
    with looping():
        yield from parts
