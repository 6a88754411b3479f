"""A loop in a graph -> the variables that it reads. Their gradients are dense in TensorFlow, never `IndexedSlices`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.recording import NODE, current


@contextmanager
def looping() -> Iterator[None]:
    """A block that is a loop. In a graph, the variables that it reads are added to `looped` of the tapes at its end."""
    traces = current.get().traces if in_graph.get() else ()
    begun = [len(trace.nodes) for trace in traces]
    try:
        yield
    finally:
        for trace, start in zip(traces, begun, strict=True):
            read = {entry for entries in trace.nodes[start + 1 :: NODE] for entry in entries if type(entry) is int}
            trace.looped |= {each for each in read if each in trace.watched and trace.watched[each]._role == "variable"}


def iterations(parts: Iterator[Any]) -> Iterator[Any]:
    """The elements that a loop in a graph iterates over. Its body runs between two of them."""
    with looping():
        yield from parts
