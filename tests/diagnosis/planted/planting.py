"""Programs and faults -> pairs, chosen by hash: no fault in more than 40, and no program in more than 30."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from tests.diagnosis.planted.edits import Planted
from tests.diagnosis.planted.faults import FAULTS, Fault
from tests.diagnosis.planted.healthy import Healthy

PER_FAULT, PER_PROGRAM = 40, 30
HALVES = ("even", "odd")


@dataclass(frozen=True)
class Pair:
    """A fault in a program."""

    program: Healthy
    fault: Fault
    planted: Planted

    @property
    def name(self) -> str:
        return f"{self.fault.name} in {self.program.name}"


def hashed(text: str) -> int:
    """A number that is the same at every run."""
    return int(sha256(text.encode()).hexdigest(), 16)


def half(fault: Fault) -> str:
    """Which half of the faults one belongs to."""
    return HALVES[hashed(fault.name) % 2]


def names() -> str:
    """The faults with their halves, as `names.txt` has them."""
    return "".join(f"{half(each):4} {each.name}\n" for each in sorted(FAULTS, key=lambda each: each.name))


def pairs(programs: Iterable[Healthy]) -> list[Pair]:
    """Each fault in the programs that it fits, at one of the places there; first those that fit few."""
    possible = [each for program in programs for fault in FAULTS for each in _planted(program, fault)]
    fits = Counter(each.fault.name for each in possible)
    possible.sort(key=lambda each: (fits[each.fault.name], hashed(each.name)))
    of_fault: Counter[str] = Counter()
    of_program: Counter[str] = Counter()
    chosen = []
    for each in possible:
        if of_fault[each.fault.name] < PER_FAULT and of_program[each.program.name] < PER_PROGRAM:
            of_fault[each.fault.name] += 1
            of_program[each.program.name] += 1
            chosen.append(each)
    return sorted(chosen, key=lambda each: (each.program.name, each.fault.name))


def _planted(program: Healthy, fault: Fault) -> list[Pair]:
    edit = fault.edits.get(program.spelling)
    ways = edit.planted(program) if edit is not None else []
    if not ways:
        return []
    return [Pair(program, fault, ways[hashed(f"{fault.name} {program.name}") % len(ways)])]
