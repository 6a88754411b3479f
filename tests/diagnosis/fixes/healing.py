"""A faulty program -> what becomes of it where only the patches of its findings are applied, and it is run again."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tests.diagnosis.fixes.programs import Faulty
from tests.diagnosis.fixes.running import ERROR, PROGRAM, gradients
from tests.diagnosis.planted.symptoms import Numbers

Found = Callable[[Path], list[dict[str, Any]]]
"""The findings of the program in a folder."""

ROUNDS = 5
"""How often a program's author applies what is found and runs it again."""

SEVERITIES = ("error", "warning", "hint")
LIMIT = 500
"""Tokens that an assistant reads, to mend a program by hand."""


@dataclass
class Outcome:
    """What became of a program: `verdict` in words, the findings of each run, and the program as it was left."""

    verdict: str
    rounds: list[list[dict[str, Any]]] = field(default_factory=list)
    text: str = ""

    @property
    def is_healed(self) -> bool:
        return self.verdict == "healed"

    @property
    def has_patch(self) -> bool:
        """Whether the first of what was found had a patch."""
        return bool(self.rounds and self.rounds[0] and self.rounds[0][0]["patch"])

    @property
    def tokens(self) -> int:
        """Of all that was found at first, in words, without its patches; three characters make one at the least."""
        first = self.rounds[0] if self.rounds else []
        return sum(len(text) for each in first for text in _words(each)) // 3


def _words(finding: dict[str, Any]) -> list[str]:
    place = finding["place"]
    where = [] if place is None else [f"{place['file']}, line {place['line']}: {place['code']}"]
    return [*(finding[key] for key in ("severity", "cause", "title", "message", "fix")), *where]


def healed(faulty: Faulty, folder: Path, find: Found) -> Outcome:
    """Apply the patches of what is found until the program's gradients are healthy, or none is left to apply."""
    program = folder / PROGRAM
    program.write_text(faulty.text)
    outcome = Outcome("nothing is found")
    wanted = gradients(faulty.repaired, faulty.framework)
    for _ in range(ROUNDS):
        found = find(folder)
        outcome.rounds.append(found)
        outcome.text = program.read_text()
        if len(outcome.rounds) > 1 and _is_healthy(outcome, wanted, faulty.framework):
            outcome.verdict = "healed"
            return outcome
        if not found:
            return outcome
        if not _applied(found, folder):
            outcome.verdict = "no patch" if len(outcome.rounds) == 1 else "the patch does not heal"
            return outcome
        outcome.verdict = "the patch does not heal"
    return outcome


def _is_healthy(outcome: Outcome, wanted: Numbers, framework: str) -> bool:
    """Whether what was found first is found no more, and the framework gives gradients wherever the repair has some.

    Of what was NaN, zero is healthy: it may be what the derivative is.
    """
    first = outcome.rounds[0][0]
    left = [each for each in outcome.rounds[-1] if each["severity"] == "error" or first["severity"] == "hint"]
    if any(each["cause"] == first["cause"] for each in left):
        return False
    given = gradients(outcome.text, framework)
    return given is not ERROR and all(
        _is_sound(mended, may_be_zero=first["symptom"] == "nan")
        for mended, repaired in zip(given.values(), wanted.values(), strict=False)
        if _is_sound(repaired, may_be_zero=False)
    )


def _is_sound(gradient: np.ndarray[Any, Any] | None, *, may_be_zero: bool) -> bool:
    return gradient is not None and bool(np.isfinite(gradient).all() and (may_be_zero or gradient.any()))


def _applied(found: list[dict[str, Any]], folder: Path) -> bool:
    """Apply what the worst findings have; whether anything was."""
    worst = min((each["severity"] for each in found if each["patch"]), key=SEVERITIES.index, default=None)
    done = [apply(each["patch"], folder) for each in found if each["severity"] == worst and each["patch"]]
    return any(done)


def unwritten(fix: str, patch: str) -> list[str]:
    """The code that a fix says to write, and no line of its patch has."""
    added = "\n".join(each[1:] for each in patch.splitlines() if each.startswith("+"))
    return [each for each in re.findall(r"[Ww]rite `([^`]+)`", fix) if each not in added]


def apply(patch: str, folder: Path) -> bool:
    """Whether `git apply` takes a patch."""
    done = subprocess.run(["git", "apply", "-"], input=patch, text=True, cwd=folder, capture_output=True, check=False)
    return done.returncode == 0
