"""A log -> the page of its debugger, in a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tapeviz.events.collector_paused import collector_paused
from tapeviz.events.defaults import Defaults
from tapeviz.events.store import atomic
from tapeviz.events.store.ranks import Ranks
from tapeviz.validation import page_path
from tapeviz.views.page.document import document
from tapeviz.views.page.ranks_page import ranks_page
from tapeviz.views.payload import payload
from tapeviz.views.reading import read
from tapeviz.views.reading.notes import checked


@collector_paused
def save_html(
    log_or_tape: Any,
    path: str | Path,
    *,
    values: str = "kept",
    sources: bool = True,
    notes: Mapping[int, str] | None = None,
    title: str | None = None,
) -> Path:
    """Write the debugger of a tape or a log into one HTML file.

    The file opens offline in any browser; with `#step=5` after its address it opens at that step, with `#lecture` as a
    lecture.

    Args:
        log_or_tape: a log, or anything with `.log`. The page of the logs of several ranks has a switch between these,
            and opens at what they show together.
        path: the file to write; it ends in .html.
        values: "none" leaves the numbers of the program out.
        sources: False leaves its source lines and file names out.
        notes: words for steps of the backward pass, such as `{1: "The square comes first: $2(a - 1)$."}`, which stand
            in the picture beside what they speak of; LaTeX between dollars is a formula. 0 is the moment before the
            first step.
        title: of the page; by default what was recorded.

    Returns:
        The path of the file.

    Raises:
        ValueError: a path that does not end in .html, a note for a step that is not there, or an unknown `values`.
        TypeError: notes that are not by step.
        FileNotFoundError: a folder that is not there.

    >>> import tempfile
    >>> import tapeviz as tf
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * x * x
    >>> save_html(tape, Path(tempfile.mkdtemp()) / "cube.html").name
    'cube.html'
    """
    path = page_path(path)
    if isinstance(log_or_tape, Ranks):
        if notes or title:
            raise ValueError("notes and a title are for the steps of one log: save that of one rank, ranks[0].")
        atomic.write(path, ranks_page(log_or_tape, values=Defaults.keeps(values), sources=sources).encode())
        return path
    reading = read(log_or_tape)
    known = checked(notes, reading)
    packed = payload(reading, values=Defaults.keeps(values), sources=sources, notes=known, title=title)
    atomic.write(path, document(packed).encode())
    return path
