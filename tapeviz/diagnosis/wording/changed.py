"""A fix in words and its edits -> the lines that change, where they are few and the words do not say them."""

from __future__ import annotations

from collections.abc import Iterable

from tapeviz.source.edits import Edit, together

MOST = 4
"""The lines that are shown beside a fix: of more there is the patch."""


def changed(fix: str, edits: Iterable[Edit | None]) -> list[str]:
    """The lines to be changed by their numbers, `-` before those that go and `+` before those that come.

    None where the fix has all that comes, or where they are many or of several files.

    >>> from tapeviz.source.edits import TextChange
    >>> edit = Edit("a.py", (TextChange((1, 4), (1, 5), "2"),), ("x = 1",))
    >>> changed("Begin at 2.", [edit]), changed("Write `x = 2`.", [edit])
    (['1 - x = 1', '1 + x = 2'], [])
    """
    merged = together(edits)
    lines = merged[0].changed_lines() if len(merged) == 1 else []
    new = [text for _, sign, text in (each.split(" ", 2) for each in lines) if sign == "+"]
    is_said = bool(new) and all(f"`{each.strip()}`" in fix for each in new)
    return [] if len(lines) > MOST or is_said else lines
