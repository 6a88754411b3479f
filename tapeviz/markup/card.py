"""A finding, a sentence -> boxes for an output cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from tapeviz.markup.text import escaped, source_line, with_code
from tapeviz.markup.theme import LINE, TONES
from tapeviz.phrases import holds_for

MOST = 12
"""Cards and lines shown at once."""

_MARKS = {"error": "✕ error", "warning": "! warning", "hint": "? hint"}
_BOX = f"margin:.4em 0;padding:.5em .9em;border:1px solid {LINE};border-radius:4px;max-width:54em;"


def card(
    severity: Literal["error", "warning", "hint"],
    title: str,
    cause: str,
    message: str,
    fix: str,
    place: tuple[str, str] | None = None,
    also: Sequence[str] = (),
    changed: Sequence[str] = (),
) -> str:
    """The card of a finding: how bad, what it is, where, what happened, and what to do.

    `place` is the name of a line and its text; `also` are names of what else the finding explains, and `changed` the
    lines that the fix changes.

    >>> "<b>Fix:</b> Use it." in card("hint", "A tensor is unused", "unused", "Nothing reads `h`.", "Use it.")
    True
    """
    edge = TONES[severity]
    parts = [
        f'<div style="{_BOX}border-left:5px solid {edge};line-height:1.5">',
        f'<div><b style="border-bottom:2px solid {edge}">{_MARKS[severity]}</b> '
        f"&nbsp;<b>{escaped(title)}</b> <small>({escaped(cause)})</small></div>",
    ]
    if place is not None:
        where, text = place
        parts.append(f'<div style="margin:.3em 0"><small>{escaped(where)}</small><br>{source_line(text)}</div>')
    parts.append(f"<div>{with_code(message)}</div>")
    if also:
        parts.append(f"<div>{with_code(holds_for(also))}</div>")
    parts.append(f'<div style="margin-top:.3em"><b>Fix:</b> {with_code(fix)}</div>')
    parts += [f"<div>{source_line(each)}</div>" for each in changed]
    parts.append("</div>")
    return "".join(parts)


def note(message: str, lines: Sequence[str] = ()) -> str:
    """A quiet box: a sentence, and lines below it."""
    items = "".join(f"<li>{with_code(each)}</li>" for each in lines[:MOST])
    return f'<div style="{_BOX}">{with_code(message)}{f"<ul>{items}</ul>" if items else ""}</div>'


def alert(kind: str, message: str, place: tuple[str, str] | None = None) -> str:
    """An exception: its class, what it says, and the line that it came from with its text.

    >>> 'role="alert"' in alert("ValueError", "no such axis: 3")
    True
    """
    words = f"<b>{escaped(kind)}</b>: {escaped(message)}"
    if place is not None:
        where, text = place
        words += f"<br>{escaped(where)}: {source_line(text)}"
    style = f"border-left:3px solid {TONES['error']};padding:4px 10px;white-space:pre-wrap"
    return f'<div role="alert" style="{style}">{words}</div>'


def stacked(cards: Sequence[str], others: str = "`print` shows them all") -> str:
    """Cards below each other; of many the first, how many more there are, and where these `others` are to be found.

    >>> "and 2 more" in stacked([note("a")] * (MOST + 2))
    True
    """
    more = len(cards) - MOST
    return "".join(cards[:MOST]) + note(f"and {more} more: {others}") * (more > 0)
