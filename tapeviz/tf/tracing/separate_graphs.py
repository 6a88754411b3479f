"""Code that TensorFlow runs in a separate graph -> no tape records it here either, and the log says so.

These are the functions that a dataset applies and, in a `tf.function`, loops over a dataset. No gradient flows through.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.logs import not_recorded
from tapeviz.engine.recording import Recording, current
from tapeviz.events.program.autograph import is_users_loop
from tapeviz.events.types import RecordingPaused, RecordingResumed


def is_graph_loop(asker: FrameType) -> bool:
    """Whether the frame that iterates over a dataset is at a loop of which TensorFlow makes a graph."""
    graph = in_graph.get()
    return graph is not None and graph.rewritten and is_users_loop(asker)


@contextmanager
def unrecorded() -> Iterator[None]:
    """A block that no tape records. The log gets a `RecordingPaused` and a `RecordingResumed`."""
    now = current.get()
    with not_recorded():
        _note_each(now, RecordingPaused)
        try:
            yield
        finally:
            _note_each(now, RecordingResumed)


def _note_each(now: Recording, kind: type) -> None:
    """Log an event of this kind, which no line of the user's causes, for each tape that is not used up."""
    for trace in now.traces:
        if trace.alive and now.log is not None:
            now.log.append(kind, (trace.id,))
