"""Recordings of a function at many settings of its numbers -> one offline page, with a slider for each of them.

The page runs nothing: it goes from recording to recording.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from tapeviz.views.page.document import packed_json
from tapeviz.views.page.switched import switched_page
from tapeviz.views.payload import payload
from tapeviz.views.reading import read
from tapeviz.views.words import numbers

DIGITS = 4
STYLE = """\
header { flex-wrap: wrap; gap: .2em 1.5em; align-items: center; min-height: 3em; box-sizing: border-box }
label { display: flex; gap: .5em; align-items: center }
input { width: 14em; max-width: 60vw }
output { min-width: 4em; font-variant-numeric: tabular-nums }
#message { margin: 1em; white-space: pre-wrap }
"""
SLIDER = Template(
    '<label>$name <input type="range" min="0" max="$last" step="1" value="$start"><output></output></label>'
)
BODY = Template("""\
<header><h1>$title</h1>$sliders</header>
<main><p id="message" role="alert" hidden></p><div id="debugger"></div></main>""")


class UnderSliders:
    """A function under sliders, which `save_html(..., live=True)` writes with them."""

    def save_html(
        self, path: str | os.PathLike[str], *, values: str = "kept", sources: bool = True, title: str | None = None
    ) -> Path:
        """Write sliders and debugger into one HTML file; return its path."""
        raise NotImplementedError


class Slider(NamedTuple):
    """A number of a function: its name, where its slider can stop, and the index of the stop that it begins at."""

    name: str
    stops: Sequence[float]
    start: int


def sliders_page(
    title: str, sliders: Sequence[Slider], recordings: Iterable[Any], *, values: bool = True, sources: bool = True
) -> str:
    """The page: HTML that needs no other file, no network and no kernel.

    Args:
        title: what the page is called.
        sliders: its sliders.
        recordings: a log, or anything with `.log`, for each combination of their stops, those of the last slider
            first; in place of one that could not be made, what to say of that.
        values: False leaves the numbers of the recordings out.
        sources: False leaves source lines and file names out.
    """
    words = [[numbers.rounded(stop, DIGITS) for stop in slider.stops] for slider in sliders]
    data = {
        f"recording-{at}": json.dumps(each)
        if isinstance(each, str)
        else packed_json(payload(read(each), values=values, sources=sources))
        for at, each in enumerate(recordings)
    }
    data["tapeviz-stops"] = json.dumps(words)
    controls = [
        SLIDER.substitute(name=escape(each.name), last=len(each.stops) - 1, start=each.start) for each in sliders
    ]
    body = BODY.substitute(title=escape(title), sliders="".join(controls))
    return switched_page(title, STYLE, body, data, "sliders_page.js")
