"""Rows, lines -> tables and lists for an output cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from tapeviz.markup.text import escaped
from tapeviz.markup.theme import LINE, Tone, tint

_CELL = f"padding:.25em .8em;border:1px solid {LINE};text-align:left;"
_LIST = "list-style:none;margin:.2em 0;font-family:monospace;white-space:pre-wrap"
_FAINTER: dict[Tone, str] = {"": "", "soft": "opacity:.75;", "faint": "opacity:.6;"}

Toned: TypeAlias = tuple[str, Tone]
"""A text, and how it is set off."""


def grid(caption: str, heads: Sequence[str], rows: Iterable[tuple[str, Sequence[Toned]]]) -> str:
    """A table: heads above the columns, and of each row its head and its cells, a text and a tone each.

    >>> html = grid("Norms", ["y"], [("w", [("0.5", "soft")])])
    >>> html.count("<tr"), html.count("<th"), html.count("0.5")
    (2, 2, 1)
    """
    above = "".join(f'<th scope="col" style="{_CELL}">{escaped(head)}</th>' for head in heads)
    body = "".join(
        f'<tr><th scope="row" style="{_CELL}">{escaped(head)}</th>'
        + "".join(f'<td style="{_CELL}{_toned(tone)}">{escaped(text)}</td>' for text, tone in cells)
        + "</tr>"
        for head, cells in rows
    )
    told = f'<caption style="text-align:left;{_FAINTER["soft"]}white-space:nowrap">{escaped(caption)}</caption>'
    return f'<table style="border-collapse:collapse;margin:.4em 0">{told}<tr><td></td>{above}</tr>{body}</table>'


def sections(parts: Iterable[tuple[str, Sequence[Toned]]]) -> str:
    """Titles, each with its lines below it: a text and a tone each.

    >>> sections([("gradients", [("w: the same", "")])]).count("<li")
    1
    """
    return f'<div style="line-height:1.5">{"".join(_section(*part) for part in parts)}</div>'


def _section(title: str, lines: Sequence[Toned]) -> str:
    items = "".join(f'<li style="{_toned(tone)}">{escaped(text)}</li>' for text, tone in lines)
    below = f'<ul style="{_LIST}">{items}</ul>' if items else ""
    return f"<div><b>{escaped(title)}</b>{below}</div>"


def _toned(tone: Tone) -> str:
    return _FAINTER[tone] if tone in _FAINTER else tint(tone)
