"""EventLog -> a static picture: SVG, PNG, PDF or DOT, to look at and to save."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tapeviz.events.store import atomic
from tapeviz.validation import output_file
from tapeviz.views.drawing import canvas
from tapeviz.views.drawing.picture import picture
from tapeviz.views.drawing.svg import img, svg
from tapeviz.views.drawing.to_dot import text
from tapeviz.views.drawing.to_graphviz import render
from tapeviz.views.layout import Flow
from tapeviz.views.reading import read
from tapeviz.views.scene import scene

FORMATS = ("svg", "png", "pdf", "dot")


@dataclass(frozen=True)
class Drawing:
    """A picture that a notebook shows. `data` is the content of the file, `format` what it is written in."""

    format: str
    data: bytes
    title: str

    @property
    def text(self) -> str:
        """The picture as text: the source of an SVG or DOT file.

        Raises:
            ValueError: a PNG or PDF picture has no text.
        """
        if self.format not in ("svg", "dot"):
            raise ValueError(f"A {self.format} picture has no text; its bytes are in `.data`.")
        return self.data.decode()

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture to a file, whatever its name ends in; return its path.

        Raises:
            TypeError: `path` is not a path.
            FileNotFoundError: a folder that is not there.
        """
        target = output_file(path, "drawing.save('tape.svg')")
        atomic.write(target, self.data)
        return target

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/plain": repr(self)}
        if self.format == "svg":
            bundle["text/html"] = img(self.text, self.title)
        elif self.format == "png":
            bundle["image/png"] = base64.b64encode(self.data).decode()
        elif self.format == "dot":
            bundle["text/plain"] = self.text
        return bundle

    def __repr__(self) -> str:
        return f"<Drawing: {self.title}, {self.format}, {len(self.data):,} bytes>"


def draw(
    log_or_tape: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    engine: Literal["tapeviz", "graphviz"] = "tapeviz",
    format: str | None = None,
    direction: Literal["down", "right"] = "down",
) -> Drawing:
    """Draw a tape or a log.

    Args:
        log_or_tape: a log, or anything with `.log`.
        path: a file to write the picture to; None to write none.
        engine: "graphviz" leaves layout and painting to Graphviz; "tapeviz" needs nothing installed.
        format: "svg", "png", "pdf" or "dot"; by default what the path ends in, or else "svg".
        direction: which way the picture runs, from sources to targets.

    Returns:
        The picture, which a notebook shows.

    Raises:
        TypeError: `path` is not a path.
        FileNotFoundError: a folder that is not there.
        ValueError: an unknown engine, format or direction.
        RuntimeError: `engine="graphviz"` without Graphviz; the message says how to get it.

    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0, name="x")
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> draw(tape).text[:40]
    '<svg xmlns="http://www.w3.org/2000/svg" '
    """
    target = None if path is None else output_file(path, "tv.draw(tape, 'tape.svg')")
    if engine not in ("tapeviz", "graphviz"):
        raise ValueError(f"engine must be 'tapeviz' or 'graphviz', not {engine!r}.")
    if direction not in ("down", "right"):
        raise ValueError(f"direction must be 'down' or 'right', not {direction!r}.")
    chosen = format or (target.suffix[1:].lower() if target is not None else "") or "svg"
    if chosen not in FORMATS:
        raise ValueError(f"Cannot draw as {chosen!r}: choose one of {', '.join(FORMATS)}, by `format=` or by the path.")
    drawn = scene(read(log_or_tape), flow=Flow(across=direction == "right"))
    if chosen == "dot":
        data = text(drawn).encode()
    elif engine == "graphviz":
        data = render(text(drawn), chosen)
    elif chosen == "svg":
        data = svg(picture(drawn)).encode()
    else:
        data = canvas.render(picture(drawn), chosen)
    drawing = Drawing(chosen, data, drawn.title)
    if target is not None:
        drawing.save(target)
    return drawing
