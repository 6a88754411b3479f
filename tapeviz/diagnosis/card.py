"""A finding -> HTML for an output cell: no script, no style sheet, readable on light and dark, everything escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Protocol

from tapeviz.diagnosis.places import words
from tapeviz.events import Site

MOST = 12
"""Cards shown at once."""

LONGEST = 600
"""Characters of a text that are shown."""

_EDGES = {"error": "#c4314b", "warning": "#b7791f", "hint": "#3b82a0", "better": "#2e7d32"}
"""What is bad, doubtful and open, and what is no longer so: on light and on dark paper alike."""
_MARKS = {"error": "✕ error", "warning": "! warning", "hint": "? hint"}
_BOX = "margin:.4em 0;padding:.5em .9em;border:1px solid rgba(128,128,128,.4);border-radius:4px;max-width:54em;"
_CODE = "font-family:monospace;background:rgba(128,128,128,.15);padding:.05em .3em;border-radius:3px;"


class Shown(Protocol):
    """What a card needs of a finding."""

    @property
    def cause(self) -> str: ...
    @property
    def severity(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def site(self) -> Site | None: ...
    @property
    def message(self) -> str: ...
    @property
    def fix(self) -> str: ...


def tint(what: str) -> str:
    """The style of a cell or line that is an error, a warning, or better than it was: its colour, thinly."""
    return f"background:{_EDGES[what]}2e;"


def html(finding: Shown, also: Sequence[str]) -> str:
    """The card of a finding; `also` are names of further sources that it explains."""
    edge = _EDGES[finding.severity]
    parts = [
        f'<div style="{_BOX}border-left:5px solid {edge};line-height:1.5">',
        f'<div><b style="border-bottom:2px solid {edge}">{_MARKS[finding.severity]}</b> '
        f"&nbsp;<b>{escape(finding.title)}</b> <small>({escape(finding.cause)})</small></div>",
    ]
    if finding.site is not None:
        parts.append(
            f'<div style="margin:.3em 0"><small>{escape(words(finding.site))}</small><br>'
            f'<code style="{_CODE}white-space:pre-wrap">{escape(_cut(finding.site.text))}</code></div>'
        )
    parts.append(f"<div>{_marked(finding.message)}</div>")
    if also:
        shown = ", ".join(also[:MOST]) + (f" and {len(also) - MOST} more" if len(also) > MOST else "")
        parts.append(f"<div>The same holds for {_marked(shown)}.</div>")
    parts.append(f'<div style="margin-top:.3em"><b>Fix:</b> {_marked(finding.fix)}</div></div>')
    return "".join(parts)


def note(message: str, lines: Sequence[str] = ()) -> str:
    """A quiet box: a sentence, and lines below it."""
    items = "".join(f"<li>{_marked(line)}</li>" for line in lines[:MOST])
    return f'<div style="{_BOX}">{_marked(message)}{f"<ul>{items}</ul>" if items else ""}</div>'


def page(title: str, body: str) -> str:
    """A page of its own around what is shown in a cell, with nothing to load."""
    style = "font-family:system-ui,sans-serif;margin:2em;max-width:72em"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="color-scheme" content="light dark"></head><body style="{style}">{body}</body></html>'
    )


def _marked(text: str) -> str:
    """Escaped text, with what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", rf'<code style="{_CODE}">\1</code>', escape(_cut(text)))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
