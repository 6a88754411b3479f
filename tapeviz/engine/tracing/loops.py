"""A loop in a graph of TensorFlow's -> the variables that are read in it, whose gradients come out of it dense."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeviz.engine.recording import NODE, current
from tapeviz.engine.tracing.building import in_graph


@contextmanager
def looping() -> Iterator[None]:
    """The iterations of a loop; of one in a graph, tapes are told at its end, even an early one, what it has read."""
    traces = current.get().traces if in_graph.get() else ()
    begun = [len(trace.nodes) for trace in traces]
    try:
        yield
    finally:
        for trace, start in zip(traces, begun, strict=True):
            read = {entry for entries in trace.nodes[start + 1 :: NODE] for entry in entries if type(entry) is int}
            trace.looped |= {each for each in read if each in trace.watched and trace.watched[each]._role == "variable"}


def turns(parts: Iterator[Any]) -> Iterator[Any]:
    """What a loop in a graph goes over, part by part; its body runs between one part and the next."""
    with looping():
        yield from parts
