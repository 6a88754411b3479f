"""A log -> the page of its debugger, in a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tapeviz.events.collector_paused import collector_paused
from tapeviz.events.defaults import Defaults
from tapeviz.events.store import atomic
from tapeviz.events.store.ranks import Ranks
from tapeviz.phrases import kind_of
from tapeviz.validation import page_path
from tapeviz.views.page.document import document
from tapeviz.views.page.ranks_page import ranks_page
from tapeviz.views.page.sliders_page import UnderSliders
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
    live: bool = False,
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
        live: True writes what `tv.explore` returned with its sliders, which go through recordings of each of their
            stops: the file needs no kernel, either.

    Returns:
        The path of the file.

    Raises:
        ValueError: a path that does not end in .html, a note for a step that is not there, an unknown `values`, or
            `live` with notes.
        TypeError: notes that are not by step, or `live` for what has no sliders.
        FileNotFoundError: a folder that is not there.

    >>> import tempfile
    >>> import tapeviz as tf
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * x * x
    >>> save_html(tape, Path(tempfile.mkdtemp()) / "cube.html").name
    'cube.html'
    >>> explored = tf.explore(lambda x: x * x * x, x=3.0)
    >>> save_html(explored, Path(tempfile.mkdtemp()) / "cubes.html", live=True).name
    'cubes.html'
    """
    if live:
        if notes:
            raise ValueError("notes are for the steps of one recording, and live=True writes many: leave one out.")
        return _under_sliders(log_or_tape).save_html(path, values=values, sources=sources, title=title)
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


def _under_sliders(subject: Any) -> UnderSliders:
    if isinstance(subject, UnderSliders):
        return subject
    raise TypeError(
        f"live=True writes sliders, and {kind_of(subject)} has none: what was recorded has run. A function has: "
        "tv.save_html(tv.explore(f, x=3.0), 'lecture.html', live=True)."
    )
