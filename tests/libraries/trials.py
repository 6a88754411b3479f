"""The healthy programs of libraries, and the faults that fit them -> a trial of each, in a process of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.diagnosis.planted.healthy import Healthy, programs
from tests.diagnosis.planted.planting import Pair, half, hashed, pairs
from tests.diagnosis.planted.workers import DIED, forked, served
from tests.libraries.trial import Trial, tried

FRAMEWORKS = {"torch": "PyTorch", "tensorflow": "TensorFlow", "jax": "JAX"}
"""The first word of a program's name -> the framework as it is written; one of those is no library."""
SECONDS = 300
"""How long all that is tried of one program may take."""


def trials(only: str = "") -> Iterator[tuple[Healthy, Trial]]:
    """The programs of libraries that are installed, each tried in a process of its own."""
    here = {each.name: each for each in programs() if is_tried(each) and (only in each.name or only in each.library)}
    for trial in served(trial_of, here.values(), faults_of(here.values())):
        yield here[trial.program], trial


def is_tried(program: Healthy) -> bool:
    """Whether it is the program of a library, and the library is installed."""
    return program.framework in FRAMEWORKS and program.library not in FRAMEWORKS and not program.missing


def faults_of(some: Iterable[Healthy]) -> list[Pair]:
    """The faults that fit the programs, of the half that rules are developed on, in an order without choice."""
    wanted = {each.name for each in some}
    fitting = [each for each in pairs(programs()) if each.program.name in wanted and half(each.fault) == "even"]
    return sorted(fitting, key=lambda each: hashed(f"{each.name} tried"))


def trial_of(program: Healthy, fitting: list[Pair]) -> Iterator[Trial]:
    """One trial, in a fork."""
    came = list(forked(_tried, program, fitting, seconds=SECONDS))
    yield came[0] if came else Trial(program.name, error=DIED)


def _tried(program: Healthy, fitting: list[Pair]) -> Iterator[Trial]:
    yield tried(program, fitting)
