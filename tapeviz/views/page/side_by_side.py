"""Two graphs side by side -> one offline page."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from tapeviz.markup import theme
from tapeviz.markup.offline import offline
from tapeviz.views import frontend
from tapeviz.views.page.document import LISTENING, ScriptPart, deflated, packed_json

MOST_BOXES = 60
"""A graph of more boxes is folded, and a table says what is inside."""


def page(title: str, name: str, body: str, data: Any, styles: str = "") -> str:
    """A page in HTML that needs no other file, no network and no kernel.

    Args:
        title: of the page.
        name: of its kind, "modes" or "compare": the modules and style sheets of both are called after it.
        body: what stands in it, in HTML.
        data: what its script reads, as JSON can hold it.
        styles: a style sheet for what its script draws.
    """
    parts = (
        ScriptPart(f"{name}-data", "application/json", packed_json(data)),
        ScriptPart(f"{name}-styles", "text/plain", styles),
        ScriptPart(f"{name}-module", "module", frontend.module(f"{name}_page.js")),
    )
    return offline(title, _style(f"{name}_page.css"), f"<main>\n{body}</main>\n{deflated(parts)}", LISTENING)


@cache
def _style(name: str) -> str:
    """The colours of a theme as variables, the rules of such pages and those of one."""
    light, dark = theme.css_variables("light"), theme.css_variables("dark")
    return (
        f":root{{color-scheme:light dark}}main{{color-scheme:light;{light}}}"
        f"main[data-theme=dark]{{color-scheme:dark;{dark}}}"
        f"{_read('sides.css')}{_read(name)}"
    )


def _read(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
