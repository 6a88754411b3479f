"""The source of a file and a node of its syntax -> the edit that changes it, and an edit -> a patch."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher, unified_diff
from textwrap import dedent
from typing import TypeAlias

Place: TypeAlias = tuple[int, int]
"""A line, from 1, and a column, from 0 and in bytes, as `ast` counts."""

NO_NEWLINE = "\\ No newline at end of file\n"
"""What a patch says behind a last line that does not end."""


@dataclass(frozen=True, slots=True, order=True)
class TextChange:
    """What stands between two places of a file is to be `text`; where they are one place, it is put in there."""

    begin: Place
    end: Place
    text: str

    def overlaps(self, other: TextChange) -> bool:
        """Whether the two cannot both be made. What is put in at a border of the other can."""
        return self.begin < other.end and other.begin < self.end


@dataclass(frozen=True, slots=True)
class Edit:
    """Some changes of one file that belong together: a line to write, and a name that it needs imported.

    `filename` is that of the log: of a file below the working directory its path from there, of any other that from the
    home of its user or from the root. A notebook's cell or what came from standard input has no file; its edit is one
    of the text that the log keeps of it.
    """

    filename: str
    changes: tuple[TextChange, ...]
    lines: tuple[str, ...] = field(repr=False, compare=False)

    def and_also(self, other: Edit | None) -> Edit | None:
        """Both edits in one; None where a change of one overlaps another of the other, or they are of two files."""
        if other is None or other.filename != self.filename:
            return None
        more = [each for each in other.changes if each not in self.changes]
        if any(each.overlaps(own) for each in more for own in self.changes):
            return None
        return replace(self, changes=(*self.changes, *more))

    @property
    def code(self) -> str:
        """What is written, where that is one piece; "" of several."""
        return self.changes[0].text.strip() if len(self.changes) == 1 else ""

    @property
    def after(self) -> list[str]:
        """The lines of the file as they are to be."""
        text = list(self.lines)
        for change in sorted(self.changes, key=lambda each: (each.begin, each.end), reverse=True):
            (first, column), (last, end) = change.begin, change.end
            before = _bytes(text, first)[:column].decode()
            behind = _bytes(text, last)[end:].decode()
            text[first - 1 : last] = (before + change.text + behind).splitlines(keepends=True)
        return text

    def changed_lines(self) -> list[str]:
        """The lines that go and those that come, each behind its number in the file as it was, or as it is to be.

        >>> Edit("a.py", (TextChange((1, 4), (1, 5), "2"),), ("x = 1",)).changed_lines()
        ['1 - x = 1', '1 + x = 2']
        """
        sides = {"-": [each.rstrip() for each in self.lines], "+": [each.rstrip() for each in self.after]}
        places: list[tuple[str, int]] = []
        for tag, first, end, new, new_end in SequenceMatcher(None, sides["-"], sides["+"]).get_opcodes():
            if tag != "equal":
                places += [*(("-", each) for each in range(first, end)), *(("+", each) for each in range(new, new_end))]
        texts = dedent("\n".join(sides[sign][number] for sign, number in places)).split("\n")
        return [f"{number + 1} {sign} {text}" for (sign, number), text in zip(places, texts, strict=False)]

    def patch(self) -> str:
        """The edit as a unified diff, which `git apply` and `patch -p1` take in the directory that the program ran in.

        >>> Edit("a.py", (TextChange((1, 4), (1, 5), "2"),), ("x = 1",)).patch().splitlines()[2:]
        ['@@ -1 +1 @@', '-x = 1', '\\\\ No newline at end of file', '+x = 2', '\\\\ No newline at end of file']
        """
        path = self.filename.lstrip("/")
        lines = unified_diff(self.lines, self.after, f"a/{path}", f"b/{path}")
        return "".join(each if each.endswith("\n") else f"{each}\n{NO_NEWLINE}" for each in lines)


def _bytes(lines: Sequence[str], number: int) -> bytes:
    """A line in bytes, of which columns are places; behind the last line nothing."""
    return lines[number - 1].encode() if number <= len(lines) else b""


def all_of(edits: Iterable[Edit | None]) -> Edit | None:
    """All edits in one; None where there is none, one cannot be made, or two overlap."""
    first, *others = [*edits] or [None]
    for each in others:
        first = None if first is None else first.and_also(each)
    return first


def together(edits: Iterable[Edit | None]) -> list[Edit]:
    """One edit per file, of all those that can be made together; of two that overlap the first."""
    merged: dict[str, Edit] = {}
    for each in edits:
        if each is not None:
            merged[each.filename] = merged.get(each.filename, each).and_also(each) or merged[each.filename]
    return list(merged.values())


def patch_of(edits: Iterable[Edit | None]) -> str:
    """The patch of all edits that can be made together; "" of none."""
    return "".join(each.patch() for each in together(edits))


def characters(lines: Sequence[str], place: Place) -> Place:
    """A place whose column counts characters in place of bytes."""
    line, column = place
    return line, len(_bytes(lines, line)[:column].decode(errors="ignore"))


def begin_of(node: ast.AST) -> Place:
    """Where a node begins; a function or a class at its first decorator."""
    first = min([node, *getattr(node, "decorator_list", ())], key=lambda each: getattr(each, "lineno", 0))
    return getattr(first, "lineno", 0), getattr(node, "col_offset", 0)


def end_of(node: ast.AST) -> Place:
    """Where a node ends."""
    return getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0
