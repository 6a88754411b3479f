"""A user's text -> the same on one line, and of a bounded length."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

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


def distinct(names: Sequence[str], longest: int) -> list[str]:
    """The names, each shortened to about `longest` characters, but none so that two that differ read alike.

    The words of a path are cut to their first letter, its beginning first; its numbers stay.

    >>> distinct(["blocks.0.ln1.weight", "blocks.1.ln1.weight", "loss"], 18)
    ['b.0.ln1.weight', 'b.1.ln1.weight', 'loss']
    """
    short = [shortened(_with_initials(name, longest), longest) for name in names]
    uses = Counter(dict(zip(names, short, strict=True)).values())
    return [each if uses[each] == 1 else name for name, each in zip(names, short, strict=True)]


def _with_initials(path: str, longest: int) -> str:
    """A path with as many words at its beginning cut to one letter as it takes; other texts as they are."""
    if not PATH.fullmatch(path):
        return path
    parts = re.split(r"([./])", path)
    for at in range(0, len(parts) - 1, 2):
        if len("".join(parts)) <= longest:
            break
        parts[at] = parts[at] if parts[at].isdigit() else parts[at][0]
    return "".join(parts)
