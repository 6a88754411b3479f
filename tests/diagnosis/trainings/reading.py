"""The texts beside this module -> trainings, each with its fault and what is to be said of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests.diagnosis.planted.healthy import REQUIRED, is_installed
from tests.diagnosis.programs import Program

FOLDER = Path(__file__).parent
WAYS = ("torch", "trainers", "keras", "optax")
"""The ways to train, by the names of their texts."""
HEADING = re.compile(r"^=== (?P<fault>\w+): (?P<causes>[\w ]+?)(?: \| (?P<says>.*))?$", re.MULTILINE)


@dataclass(frozen=True)
class Training:
    """A training with a fault: `says` are what a finding must hold besides cause and line, as parameter and factor."""

    way: str
    program: Program
    says: tuple[str, ...]

    @property
    def fault(self) -> str:
        """What is planted."""
        return self.program.name

    @property
    def name(self) -> str:
        """The fault, and the way to train."""
        return f"{self.fault} in {self.way}"

    @cached_property
    def missing(self) -> list[str]:
        """The packages that it needs and that are not installed."""
        found = REQUIRED.search(self.program.text)
        return [each for each in re.findall(r'"([\w.-]+)"', found["names"] if found else "") if not is_installed(each)]


def trainings(way: str) -> list[Training]:
    """The trainings of one way, in the order of their text."""
    text = (FOLDER / f"{way}.txt").read_text(encoding="utf-8")
    heads = list(HEADING.finditer(text))
    ends = [each.start() for each in heads[1:]] + [len(text)]
    return [
        Training(
            way,
            Program(head["fault"], tuple(head["causes"].split()), text[head.end() : end].strip("\n")),
            tuple(each.strip() for each in (head["says"] or "").split(" & ") if each.strip()),
        )
        for head, end in zip(heads, ends, strict=False)
    ]


def every() -> list[Training]:
    """All trainings, those too whose library is missing."""
    return [each for way in WAYS for each in trainings(way)]
