"""A healthy program and what a fault changes in it -> the faulty program, and the lines that may be named.

In a template `$h` is the name that a marked statement assigns, `$value` its expression and `$statement` all of it.
Where some lines of a template end in `#!`, these are to be named, else all that are not the program's own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import Template
from typing import Protocol

from tests.diagnosis.planted.healthy import Healthy, Statement

NAMED = re.compile(r"\s*#!$")


@dataclass(frozen=True)
class Planted:
    """A faulty program: `lines` may be named, or the tensor `name` that the changed statement assigns."""

    text: str
    lines: frozenset[int]
    name: str


class Edit(Protocol):
    """What a fault changes."""

    def planted(self, program: Healthy) -> list[Planted]:
        """All ways in which it can be done to a program."""


@dataclass(frozen=True)
class At:
    """A statement of a role becomes the template; statements of the roles `also` may be named as well."""

    role: str
    template: str
    also: tuple[str, ...] = ()

    def planted(self, program: Healthy) -> list[Planted]:
        needs_name = re.search(r"\$(h|value)\b", self.template)
        chosen = [each for each in program.statements(self.role) if each.name or not needs_name]
        return [_replaced(program, each, self._lines(each), self.also) for each in chosen]

    def _lines(self, statement: Statement) -> list[tuple[str, bool]]:
        has_mark = NAMED.search(self.template, re.MULTILINE) or "#!\n" in self.template
        lines = []
        for text in self.template.split("\n"):
            plain = NAMED.sub("", text)
            new = Template(plain).substitute(h=statement.name, value=statement.value, statement=statement.text)
            lines.append((statement.indent + new, plain != text if has_mark else plain.strip() != "$statement"))
        return lines


def after(role: str, template: str, *also: str) -> At:
    """The template comes below a statement of this role."""
    return At(role, f"$statement\n{template}", also)


def instead(role: str, template: str, *also: str) -> At:
    """The template takes the place of a statement of this role."""
    return At(role, template, also)


@dataclass(frozen=True)
class Line:
    """A line that the pattern matches becomes `new`, which begins with `<` where it leaves its block; "" leaves it out.

    Then only statements of the roles `also` are to be named.
    """

    pattern: str
    new: str
    also: tuple[str, ...] = ()

    def planted(self, program: Healthy) -> list[Planted]:
        found = []
        for number, line in enumerate(program.lines, 1):
            text = line.strip()
            if (match := re.fullmatch(self.pattern, text)) is not None:
                indent = line[: len(line) - len(text)]
                outer, new = (indent[4:], self.new[1:]) if self.new.startswith("<") else (indent, self.new)
                lines = [(outer + each, True) for each in match.expand(new).split("\n")] if new else []
                whole = Statement(number, indent, text, match.groupdict().get("h") or "", "")
                found.append(_replaced(program, whole, lines, self.also))
        return found


def line(pattern: str, new: str, *also: str) -> Line:
    """A line that the pattern matches becomes `new`; see `Line`."""
    return Line(pattern, new, also)


@dataclass(frozen=True)
class Moved:
    """A line that the pattern matches comes to the other side of the nearest statement of a role; it is to be named."""

    pattern: str
    role: str

    def planted(self, program: Healthy) -> list[Planted]:
        beside = program.statements(self.role)
        return [
            self._moved(program.lines, number, min(beside, key=lambda each: abs(each.line - number)))
            for number, line in enumerate(program.lines, 1)
            if beside and re.fullmatch(self.pattern, line.strip())
        ]

    @staticmethod
    def _moved(lines: list[str], number: int, beside: Statement) -> Planted:
        rest = [*lines[: number - 1], *lines[number:]]
        rest.insert(beside.line - 1, beside.indent + lines[number - 1].strip())
        return Planted("\n".join(rest) + "\n", frozenset({beside.line}), "")


def moved(pattern: str, role: str) -> Moved:
    """A line that the pattern matches comes to the other side of the nearest statement of a role; see `Moved`."""
    return Moved(pattern, role)


def _replaced(program: Healthy, statement: Statement, new: list[tuple[str, bool]], also: tuple[str, ...]) -> Planted:
    """The program with lines in place of a statement, each with whether it is to be named."""
    first, grown = statement.line, len(new) - 1
    others = [each.line for role in also for each in program.statements(role) if each.line != first]
    named = {first + place for place, (_, is_named) in enumerate(new) if is_named}
    named |= {each + grown * (each > first) for each in others}
    lines = [*program.lines[: first - 1], *(text for text, _ in new), *program.lines[first:]]
    return Planted("\n".join(lines) + "\n", frozenset(named), statement.name)
