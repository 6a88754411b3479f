"""A user's text -> the same in HTML: escaped, and cut to a readable length."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from tapeviz.markup.theme import GROUND
from tapeviz.phrases import with_quoted

LONGEST = 600
"""Characters of a text that are shown."""

CODE = f"font-family:monospace;background:{GROUND};padding:.05em .3em;border-radius:3px;"


def escaped(text: str) -> str:
    """The text for HTML, without a terminal's codes for bold and colours; a long one ends in an ellipsis.

    >>> escaped("a < b"), escaped("\\x1b[1mbold\\x1b[0m"), len(escaped("a" * 1000))
    ('a &lt; b', 'bold', 600)
    """
    text = re.sub(r"\x1b\[[\d;]*m", "", text)
    return escape(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…")


def with_code(text: str) -> str:
    """A sentence, with what stands between backticks as code.

    >>> with_code("no `x` here").replace(CODE, "")
    'no <code style="">x</code> here'
    """
    return with_quoted(escaped(text), lambda code: f'<code style="{CODE}">{code}</code>')


def source_line(text: str) -> str:
    """A line of source."""
    return f'<code style="{CODE}white-space:pre-wrap">{escaped(text)}</code>'


def lines(texts: Iterable[str]) -> str:
    """Texts, each on a line of its own.

    >>> lines(["a", "b"])
    '<div>a</div><div>b</div>'
    """
    return "".join(f"<div>{escaped(each)}</div>" for each in texts)


def plain(text: str) -> str:
    """A text as a terminal shows it, every line and all of it: one that is too long scrolls, as columns must not break.

    >>> plain("a < b")
    '<pre style="line-height:1.25;white-space:pre;overflow-x:auto">a &lt; b</pre>'
    """
    return f'<pre style="line-height:1.25;white-space:pre;overflow-x:auto">{escape(text)}</pre>'


class Report(str):
    """A text of several lines, which as the last line of a cell shows its lines, not a literal with escapes.

    >>> Report("a\\nb")
    a
    b
    """

    __slots__ = ()
    __repr__ = str.__str__

    def _repr_html_(self) -> str:
        return plain(self)
