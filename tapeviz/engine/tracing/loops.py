"""A loop in a graph of TensorFlow's -> which variables are read in it: their gradients come out of it whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tapeviz.engine.recording import NODE, current
from tapeviz.engine.tensors.mutable import MutableTensor
from tapeviz.engine.tracing.building import in_graph


@contextmanager
def looping() -> Iterator[None]:
    """The turns of a loop, if it is in a graph: the tapes are told at its end what it read."""
    traces = current.get().traces if in_graph.get() else ()
    begun = [len(trace.nodes) for trace in traces]
    yield
    for trace, start in zip(traces, begun, strict=True):
        read = {entry for entries in trace.nodes[start + 1 :: NODE] for entry in entries if type(entry) is int}
        trace.looped |= {raw_id for raw_id in read if isinstance(trace.watched.get(raw_id), MutableTensor)}
