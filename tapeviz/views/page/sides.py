"""Pictures -> drawings that stand side by side in one page, in its theme, and such a page."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from tapeviz.markup import theme
from tapeviz.markup.offline import offline
from tapeviz.views import frontend
from tapeviz.views.drawing.picture import Picture
from tapeviz.views.drawing.svg import svg
from tapeviz.views.page.document import LISTENING

MOST_BOXES = 60
"""A graph of more boxes stands there folded, and a table says what is inside."""
PAGE = Template("""\
<main>
$body</main>
<script type="application/json" id="$name-data">$data</script>
<script type="module">
$script</script>
""")


def drawing(picture: Picture, side: str) -> str:
    """The picture as an element of the page, its ids those of its groups after the name of the side."""
    text = svg(replace(picture, groups=tuple(replace(each, id=f"{side}-{each.id}") for each in picture.groups)))
    # The theme of the page, not of the system, is what a picture in a page wears.
    head, _, rest = text.partition("<style>")
    return head + rest.partition("</style>")[2]


def page(title: str, name: str, body: str, data: Any) -> str:
    """A page with two drawings in its body, with the styles and the script of its name, and what the script reads.

    It needs no other file, no network and no kernel.
    """
    filled = PAGE.substitute(body=body, name=name, data=_packed(data), script=frontend.module(f"{name}_page.js"))
    return offline(title, style(f"{name}_page.css"), filled, LISTENING)


def _packed(data: Any) -> str:
    """Data as it stands in a script element.

    >>> _packed({"name": "</script>"})
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
