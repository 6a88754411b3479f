"""A pair of a fault and a program, or a program without one -> what came of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.diagnosis.planted.healthy import Healthy
from tests.diagnosis.planted.planting import Pair
from tests.diagnosis.planted.running import Told, findings, plain
from tests.diagnosis.planted.symptoms import Numbers, shown, unhealthy

OUTCOMES = ("named", "found", "missed", "broken", "unshown")
"""Of a pair: cause and line are named; line or tensor are; neither; its process died; the fault does not show."""
WITHOUT_FAULT = ("silent", "alarm", "ill", "broken")
"""Of a healthy program: nothing is said above a hint; something is; a gradient is not as it should be; it raised."""

ABOUT_GRADIENTS = re.compile(
    r"require[sd]? grad|grad_fn|grad can be|second time|in-?place|leaf|Inference tensors|scalar.?output|[Tt]racer|"
    r"[Cc]oncret|numpy|backward|[Gg]radient|NoneType|differentia|persistent|watch"
)
"""Errors that a fault in the way of a gradient may end in; others tell of a fault that does not fit."""


@dataclass(frozen=True)
class Result:
    """What came of a pair, or of a program whose `fault` is "": the outcome, the symptom, and what is said."""

    fault: str
    program: str
    outcome: str
    shown: str = ""
    told: list[Told] = field(default_factory=list)

    @property
    def counts(self) -> bool:
        return self.outcome != "unshown"


def healthy(program: Healthy) -> tuple[Result, Numbers | None]:
    """Run a program without a fault; its gradients, if it has any."""
    try:
        gradients = plain(program.text)
    except Exception as error:
        return Result("", program.name, "broken", _in_a_line(error)), None
    told, ill = findings(program.text), unhealthy(gradients)
    outcome = "ill" if ill else "alarm" if any(each.is_loud for each in told) else "silent"
    return Result("", program.name, outcome, ", ".join(ill), told), gradients


def scored(pair: Pair, gradients: Numbers) -> Result:
    """Run a pair, first alone and then in a recording; `gradients` are the program's without the fault."""
    seen, error = _symptom(pair, gradients)
    if seen not in pair.fault.shows or (seen == "error" and not ABOUT_GRADIENTS.search(error)):
        return Result(pair.fault.name, pair.program.name, "unshown", f"{seen} {error}".strip())
    told = findings(pair.planted.text)
    return Result(pair.fault.name, pair.program.name, outcome(pair, told), seen, told)


def _symptom(pair: Pair, gradients: Numbers) -> tuple[str, str]:
    try:
        return shown(gradients, plain(pair.planted.text)), ""
    except Exception as error:
        return "error", _in_a_line(error)


def _in_a_line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".partition("\n")[0]


def outcome(pair: Pair, told: Iterable[Told]) -> str:
    """Whether the fault is named, or found, by what is said."""
    told, lines, name = list(told), pair.planted.lines, pair.planted.name
    if any(each.cause in pair.fault.causes and each.line in lines for each in told):
        return "named"
    loud = [each for each in told if each.is_loud]
    if any(each.line in lines or (name and f"`{name}`" in each.message) for each in loud):
        return "found"
    return "missed"
