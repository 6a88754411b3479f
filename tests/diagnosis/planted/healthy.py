"""The folder `programs` -> healthy programs, with the statements that may be changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

FOLDER = Path(__file__).parent / "programs"
MARK = re.compile(r"\s*#: (?P<roles>[\w ]+)$")
ASSIGNED = re.compile(r"(?P<name>\w+) = (?P<value>.+)")
REQUIRED = re.compile(r"^REQUIRES = \[(?P<names>.*)\]$", re.MULTILINE)
FRAMEWORKS = {"torch": "torch", "tensorflow": "tf", "jax": "jax", "engine": "tf"}
"""The first word of a program's name -> whose spelling of a fault it takes."""


@dataclass(frozen=True)
class Statement:
    """A line that may be changed: `name` is what it assigns, `value` the expression; "" where it assigns nothing."""

    line: int
    indent: str
    text: str
    name: str
    value: str


@dataclass(frozen=True)
class Healthy:
    """A program whose gradients are as they should be."""

    name: str
    marked: str

    @property
    def framework(self) -> str:
        """What has to be imported to run it: torch, tensorflow, jax or engine."""
        return self.name.partition("_")[0]

    @property
    def spelling(self) -> str:
        """The framework in whose words a fault is written for it."""
        return FRAMEWORKS[self.framework]

    @cached_property
    def requires(self) -> list[str]:
        """The packages it is about, the one it is counted for first."""
        found = REQUIRED.search(self.marked)
        return re.findall(r'"([\w.-]+)"', found["names"]) if found else []

    @property
    def library(self) -> str:
        """The library in whose idiom it is written."""
        return self.requires[0] if self.requires else self.framework

    @property
    def missing(self) -> list[str]:
        """The packages that it needs and that are not installed."""
        return [each for each in self.requires if not is_installed(each)]

    @cached_property
    def lines(self) -> list[str]:
        """The program as it runs, without the marks."""
        return [MARK.sub("", line) for line in self.marked.splitlines()]

    @property
    def text(self) -> str:
        """The same as one text."""
        return "\n".join(self.lines) + "\n"

    def statements(self, role: str) -> list[Statement]:
        """The statements that bear a role."""
        return [each for roles, each in self._marked_statements if role in roles]

    @cached_property
    def _marked_statements(self) -> list[tuple[list[str], Statement]]:
        return list(self._read_marks())

    def _read_marks(self) -> Iterator[tuple[list[str], Statement]]:
        for number, (marked, line) in enumerate(zip(self.marked.splitlines(), self.lines, strict=True), 1):
            if (mark := MARK.search(marked)) is not None:
                text = line.strip()
                assigned = ASSIGNED.fullmatch(text)
                name, value = assigned.group("name", "value") if assigned else ("", "")
                yield mark["roles"].split(), Statement(number, line[: len(line) - len(text)], text, name, value)


def is_installed(package: str) -> bool:
    """By its own name, or by that of its module: `tensorflow` is also in `tensorflow-cpu`."""
    try:
        version(package)
    except PackageNotFoundError:
        return find_spec(package.replace("-", "_")) is not None
    return True


def programs() -> list[Healthy]:
    """All healthy programs, those too whose library is missing."""
    return [Healthy(path.stem, path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.py"))]
