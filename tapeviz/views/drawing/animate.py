"""EventLog -> its backward pass as one GIF, step by step."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tapeviz import validation
from tapeviz.events.store import atomic
from tapeviz.views.drawing import canvas
from tapeviz.views.drawing.frames import pages_of
from tapeviz.views.reading import read
from tapeviz.views.reading.notes import checked

LAST_HELD = 3
"""For how many frames a GIF shows the last picture before it begins again."""


def animate(
    log_or_tape: Any,
    path: str | Path,
    run: int | None = None,
    seconds: float = 1.2,
    *,
    notes: Mapping[int, str] | None = None,
    title: str | None = None,
) -> Path:
    """Write a backward pass as a GIF.

    Args:
        log_or_tape: a log, or anything with `.log`.
        path: the file to write; it ends in .gif.
        run: the number of the sweep, counted from 0; by default the one that the debugger opens with.
        seconds: how long each picture is shown; those of `frames`, of which one shows all steps inside a folded group.
        notes: words for steps, as for `frames`.
        title: stands on the first picture.

    Returns:
        The path of the file.

    Raises:
        TypeError: `path` is not a path.
        FileNotFoundError: a folder that is not there.
        ValueError: a path that does not end in .gif, no time for a step, or a log in which no gradient was taken.
        IndexError: no such run.

    >>> import tempfile
    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0, name="x")
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> _ = tape.gradient(y, x)
    >>> animate(tape, Path(tempfile.mkdtemp()) / "square.gif").name
    'square.gif'
    """
    from PIL import Image  # which comes with matplotlib

    target = validation.output_file(path, "tv.animate(tape, 'tape.gif')", "a GIF", (".gif",))
    if not seconds > 0:
        raise ValueError(f"seconds must be more than 0, not {seconds}.")
    reading = read(log_or_tape)
    pages = [canvas.render(page, "png") for _, page in pages_of(reading, run, checked(notes, reading), title)]
    images = [Image.open(io.BytesIO(page)).convert("RGB") for page in pages + pages[-1:] * (LAST_HELD - 1)]
    film, duration = io.BytesIO(), int(1000 * seconds)
    images[0].save(film, "GIF", save_all=True, append_images=images[1:], duration=duration, loop=0)
    atomic.write(target, film.getvalue())
    return target
