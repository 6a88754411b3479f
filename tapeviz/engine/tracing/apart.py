"""Work that TensorFlow does in a graph of its own, beside that of the program -> no tape records it; the log says so.

That is so for the functions of a dataset and, in a `tf.function`, for loops over one: no gradient passes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from tapeviz.engine.logs import not_recorded
from tapeviz.engine.recording import Recording, current
from tapeviz.engine.tracing.building import in_graph
from tapeviz.events.program.autograph import is_users_loop
from tapeviz.events.types import RecordingPaused, RecordingResumed


def loops_apart(asker: FrameType) -> bool:
    """Whether the elements of a dataset are asked for by a loop that TensorFlow would make a graph of."""
    graph = in_graph.get()
    return graph is not None and graph.rewritten and is_users_loop(asker)


@contextmanager
def unrecorded() -> Iterator[None]:
    """A context in which nothing is recorded."""
    now = current.get()
    with not_recorded():
        _note_each(now, RecordingPaused)
        try:
            yield
        finally:
            _note_each(now, RecordingResumed)


def _note_each(now: Recording, kind: type) -> None:
    """Note what comes over each tape that is not used up; at no line, for no line asked for it."""
    for trace in now.traces:
        if trace.alive and now.log is not None:
            now.log.append(kind, (trace.id,))
