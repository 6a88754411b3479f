"""Programs of the tests -> the programs of the menu."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parents[3] / "tests" / "programs"
FIRST = "howto_cube"
"""What stands in the editor when the page opens."""
CHECKS = {"EXPECTED", "PRINTED", "RAISES"}
"""What a program of the tests ends with."""


class MenuProgram(NamedTuple):
    """A program of the menu, by the first line of its docstring."""

    name: str
    title: str
    source: str


def programs() -> list[MenuProgram]:
    """All that read no file, the one that the page opens with first."""
    found = list(_programs())
    return sorted(found, key=lambda each: each.name != FIRST)


def _programs() -> Iterator[MenuProgram]:
    for path in sorted(FOLDER.glob("*.py")):
        source = path.read_text(encoding="utf-8")
        if "__file__" not in source:
            title = (ast.get_docstring(ast.parse(source)) or path.stem).partition("\n")[0].rstrip(".")
            yield MenuProgram(path.stem, title, _without_checks(source))


def _without_checks(source: str) -> str:
    """A program without what the tests hold it to."""
    lines = source.splitlines(keepends=True)
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) in CHECKS:
            for line in range(statement.lineno - 1, statement.end_lineno or statement.lineno):
                lines[line] = ""
    return "".join(lines).rstrip() + "\n"
