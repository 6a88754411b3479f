"""Names and counts -> parts of a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str], most: int = 6) -> str:
    """Names as a list in a sentence.

    >>> listed(["`a`", "`b`", "`c`"]), listed(["`a`", "`b`", "`c`"], most=1)
    ('`a`, `b` and `c`', '`a` and 2 more')
    """
    shown = list(names[:most])
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def counted(count: int, noun: str) -> str:
    """How many of what there are.

    >>> counted(1, "step"), counted(1000, "pass")
    ('1 step', '1,000 passes')
    """
    plural = "" if count == 1 else "es" if noun.endswith("s") else "s"
    return f"{count:,} {noun}{plural}"
