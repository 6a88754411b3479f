"""Rows of text -> a table in columns."""

from __future__ import annotations

from collections.abc import Sequence

Rows = list[tuple[str, ...]]


def table(title: str, heads: Sequence[str], rows: Rows) -> str:
    """Text in columns, the first one flush left."""
    lines = [("", *heads), *rows]
    first, *others = [max(map(len, column)) + 3 for column in zip(*lines, strict=True)]
    text = [title]
    for name, *cells in lines:
        text.append(name.ljust(first) + "".join(cell.rjust(width) for cell, width in zip(cells, others, strict=True)))
    return "\n" + "\n".join(text)
