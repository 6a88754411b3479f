"""Text of a report -> the same for a stream: in colours and tables of rich's on a terminal, else as it is."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

from tapeviz.views.reports.text import Part, Rows
from tapeviz.views.words.one_line import one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

STYLES = (
    (r"(?m)^error: .*?(?= \[\w+\]$)", "bold red"),
    (r"(?m)^warning: .*?(?= \[\w+\]$)", "bold yellow"),
    (r"(?m)^hint: .*?(?= \[\w+\]$)", "bold blue"),
    (r"(?m) \[\w+\]$", "dim"),
    (r"(?m)^  Fix:", "bold green"),
    (r"(?m)^    \d+ - .*$", "red"),
    (r"(?m)^    \d+ \+ .*$", "green"),
    (r"`[^`\n]+`", "cyan"),
    (r"^(None|NaN|inf|-inf)$", "bold red"),
)
"""Patterns of what a report says, and how they look. A word says the same as each colour."""


def coloured(parts: Iterable[Part], stream: TextIO | None) -> str:
    """The parts as one text for a stream.

    It is plain where the stream is no terminal, rich is not installed (the extra `rich`), or the user wants no colours
    (`NO_COLOR`, `TERM=dumb`); `FORCE_COLOR` wants them anywhere.

    >>> coloured(["error: No gradient [unused]", Rows((("w", "None"),))], None)
    'error: No gradient [unused]\\n  w  None'
    """
    console = _console(stream)
    if console is None:
        return "\n".join(map(str, parts))
    with console.capture() as captured:
        for part in parts:
            console.print(_table(part) if isinstance(part, Rows) else _styled(part), soft_wrap=isinstance(part, str))
    return captured.get().rstrip("\n")


def _console(stream: TextIO | None) -> Console | None:
    """What paints on a stream, None where nothing is to be painted."""
    with suppress(ValueError):  # it is closed
        if stream is None or not (stream.isatty() or "FORCE_COLOR" in os.environ):
            return None
        with suppress(ImportError):
            from rich.console import Console

            console = Console(file=stream, highlight=False, markup=False, emoji=False)
            return console if console.color_system is not None and not console.no_color else None
    return None


def _styled(text: str) -> Text:
    from rich.text import Text

    styled = Text(text)
    for pattern, style in STYLES:
        styled.highlight_regex(pattern, style)
    return styled


def _table(rows: Rows) -> Table:
    """The rows as a table, whose last column is cut where the terminal ends."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD if rows.headings else None, show_header=bool(rows.headings))
    for heading in rows.headings or rows.cells[0]:
        table.add_column(heading, no_wrap=True, overflow="ellipsis")
    half = len(rows.cells) // 2
    for index, cells in enumerate(rows.cells):
        if rows.left_out and index == half:
            table.add_row(_styled(rows.ellipsis))
        table.add_row(*(_styled(one_line(cell)) for cell in cells))
    return table
