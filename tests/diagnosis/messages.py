"""The findings of a faulty program -> whether they read as those that were read before they landed.

`golden/messages_FRAMEWORK.txt` has a section of each program; `test_messages.py --update-golden` writes them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tests.diagnosis.cause_pages import placed
from tests.diagnosis.programs import Pair, Program

FOLDER = Path(__file__).parent / "golden"


def accepted(framework: str, program: Program) -> str:
    """What was read of a program; `said` is what it says now."""
    return read(framework)[_title(program)]


@cache
def read(framework: str) -> dict[str, str]:
    """Each program's findings in a framework's file, by its title."""
    parts = (FOLDER / f"messages_{framework}.txt").read_text(encoding="utf-8").removeprefix("== ").split("\n\n== ")
    return {title: findings.removesuffix("\n") for title, _, findings in (part.partition("\n") for part in parts)}


def write(framework: str, pairs: Sequence[Pair]) -> None:
    """A framework's file anew."""
    sections = (f"== {_title(each.program)}\n{said(framework, each)}" for each in pairs)
    (FOLDER / f"messages_{framework}.txt").write_text("\n\n".join(sections) + "\n", encoding="utf-8")


def titles(programs: Sequence[Program]) -> list[str]:
    """The heads of their sections."""
    return [_title(each) for each in programs]


def _title(program: Program) -> str:
    return f"{program.causes[0]}: {program.name}"


def said(framework: str, pair: Pair) -> str:
    """A program's findings, without what differs from run to run."""
    text = placed(str(pair.broken.findings))
    return text if framework == "tapeviz" else numberless(text)


def numberless(text: str) -> str:
    """A framework's last digits are its own on every machine: what is not a whole number is a #."""
    return re.sub(r"-?\b\d+\.\d+(e[-+]?\d+)?|\b\d+e[-+]?\d+", "#", text)
