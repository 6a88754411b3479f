"""Pictures -> drawings that stand side by side in one page, in its theme, and the styles of such a page."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from tapeviz.markup import theme
from tapeviz.views.drawing.picture import Picture
from tapeviz.views.drawing.svg import svg

MOST_BOXES = 60
"""A graph of more boxes stands there folded, and a table says what is inside."""


def drawing(picture: Picture, side: str) -> str:
    """The picture as an element of the page, its ids those of its groups after the name of the side."""
    text = svg(replace(picture, groups=tuple(replace(each, id=f"{side}-{each.id}") for each in picture.groups)))
    # The theme of the page, not of the system, is what a picture in a page wears.
    head, _, rest = text.partition("<style>")
    return head + rest.partition("</style>")[2]


def packed(data: Any) -> str:
    """Data as it stands in a script element.

    >>> packed({"name": "</script>"})
    '{"name":"\\\\u003c/script>"}'
    """
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


@cache
def style(name: str) -> str:
    """The colours of a theme as variables, the roles of the pictures, the rules of such pages and those of one."""
    light, dark = theme.css_variables("light"), theme.css_variables("dark")
    roles = "".join(
        f".side .f-{role}{{fill:var(--tv-{role})}}.side .s-{role}{{stroke:var(--tv-{role})}}" for role in theme.COLOURS
    )
    return (
        f":root{{color-scheme:light dark}}main{{color-scheme:light;{light}}}"
        f"main[data-theme=dark]{{color-scheme:dark;{dark}}}"
        f"{roles}{_read('sides.css')}{_read(name)}"
    )


def _read(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
