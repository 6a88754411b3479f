"""A user's text -> the same on one line, and of a bounded length."""

from __future__ import annotations

import re

LONGEST = 30
"""Characters of a title or a subtitle."""
PATH = re.compile(r"\w[\w-]*([./]\w[\w-]*)+")


def one_line(text: str) -> str:
    """A text without line breaks and other characters that do not print.

    >>> one_line("a\\nb\\x00c")
    'a b\N{REPLACEMENT CHARACTER}c'
    """
    text = " ".join(text.split())
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)


def shortened(text: str, longest: int = LONGEST) -> str:
    """At most `longest` characters of a text: its beginning, or the end of a path, which tells it from its neighbours.

    >>> shortened("a_very_long_name", 8)
    'a_very_…'
    >>> shortened("encoder.blocks.3.norm.weight", 16)
    '….3.norm.weight'
    """
    if len(text) <= longest:
        return text
    starts = (at for at in range(len(text) - longest + 1, len(text)) if text[at] in "./")
    start = next(starts, None) if PATH.fullmatch(text) else None
    return text[: longest - 1] + "…" if start is None else "…" + text[start:]
