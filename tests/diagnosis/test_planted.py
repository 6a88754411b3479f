"""Faults that are planted into healthy programs: the rows and their pairs, and a sample of these, chosen by hash."""

from __future__ import annotations

import ast
from collections import Counter

import numpy as np
import pytest

from tests.diagnosis.planted import faults, planting, workers
from tests.diagnosis.planted.edits import Edit, after, instead, line, moved
from tests.diagnosis.planted.healthy import FOLDER, Healthy, programs
from tests.diagnosis.planted.planting import Pair, half, hashed
from tests.diagnosis.planted.running import Told
from tests.diagnosis.planted.scoring import Result, outcome
from tests.diagnosis.planted.symptoms import shown

PAIRS = planting.pairs(programs())
PROGRAMS, PER_PROGRAM = 1, 4
"""How many programs of each framework are run, and how many faults in each."""
AS_MANY_NAMED = 0.75


def test_there_are_as_many_as_a_rule_has_to_be_held_against() -> None:
    assert len(faults.FAULTS) == len({each.name for each in faults.FAULTS}) >= 45
    assert len(programs()) >= 60
    assert len({each.library for each in programs()}) >= 25
    assert len(PAIRS) > 1_000


def test_no_fault_and_no_program_weighs_too_much() -> None:
    assert max(Counter(each.fault.name for each in PAIRS).values()) <= planting.PER_FAULT
    assert max(Counter(each.program.name for each in PAIRS).values()) <= planting.PER_PROGRAM


def test_every_fault_is_planted_and_its_half_is_written_down() -> None:
    assert {each.fault.name for each in PAIRS} == {each.name for each in faults.FAULTS}
    assert (FOLDER.parent / "names.txt").read_text(encoding="utf-8") == planting.names()


def test_a_planted_program_differs_from_the_healthy_one_and_has_lines_to_name() -> None:
    for each in PAIRS:
        ast.parse(each.planted.text)
        assert each.planted.text != each.program.text, each.name
        assert each.planted.lines, each.name
        assert max(each.planted.lines) <= each.planted.text.count("\n"), each.name


LITTLE = Healthy("engine_little", "clear()\nif on:\n    h = f(x)  #: hidden\nask(h)  #: backward\n")


@pytest.mark.parametrize(
    ("edit", "text", "lines"),
    [
        (after("hidden", "$h = stop($h)"), "clear()\nif on:\n    h = f(x)\n    h = stop(h)\nask(h)\n", {4}),
        (
            after("hidden", "m = 0\n$h = m  #!", "backward"),
            "clear()\nif on:\n    h = f(x)\n    m = 0\n    h = m\nask(h)\n",
            {5, 6},
        ),
        (
            instead("hidden", "with off:\n    $statement"),
            "clear()\nif on:\n    with off:\n        h = f(x)\nask(h)\n",
            {3},
        ),
        (instead("hidden", "$h = g($value)"), "clear()\nif on:\n    h = g(f(x))\nask(h)\n", {3}),
        (line(r"clear\(\)", "", "backward"), "if on:\n    h = f(x)\nask(h)\n", {3}),
        (line(r"(?P<h>h) = (?P<value>.+)", r"<\g<h> = \g<value>"), "clear()\nif on:\nh = f(x)\nask(h)\n", {3}),
        (moved(r"clear\(\)", "backward"), "if on:\n    h = f(x)\nask(h)\nclear()\n", {4}),
        (moved(r"ask\(h\)", "hidden"), "clear()\nif on:\n    ask(h)\n    h = f(x)\n", {3}),
    ],
)
def test_an_edit_changes_the_text_and_says_which_lines_may_be_named(edit: Edit, text: str, lines: set[int]) -> None:
    [planted] = edit.planted(LITTLE)
    assert planted.text == text
    assert planted.lines == lines


@pytest.mark.parametrize(
    ("faulty", "symptom"),
    [
        ([1.0, 2.0], "same"),
        ([1.0, 2.5], "wrong"),
        ([1e-9, 0.0], "zero"),
        ([np.nan, 2.0], "nan"),
        ([np.inf, 2.0], "nan"),
        (None, "none"),
    ],
)
def test_the_worst_symptom_of_all_sources_is_shown(faulty: list[float] | None, symptom: str) -> None:
    fine = np.ones(2)
    healthy = {"[0]": np.array([1.0, 2.0]), "[1]": fine}
    assert shown(healthy, {"[0]": None if faulty is None else np.array(faulty), "[1]": fine}) == symptom


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (Told("hint", "stop_gradient", 4, "", ""), "named"),
        (Told("error", "stop_gradient", 3, "", ""), "missed"),
        (Told("error", "unused_source", 4, "", ""), "found"),
        (Told("error", "unused_source", 5, "of `h`", ""), "found"),
        (Told("hint", "unused_source", 4, "of `h`", ""), "missed"),
    ],
)
def test_cause_and_line_are_named_and_the_line_or_tensor_is_found(told: Told, expected: str) -> None:
    fault = next(each for each in faults.FAULTS if each.name == "hidden_detached")
    [planted] = fault.edits["tf"].planted(LITTLE)
    assert outcome(Pair(LITTLE, fault, planted), [told]) == expected


@pytest.fixture(
    scope="module",
    params=[
        "engine",
        *(pytest.param(each, marks=getattr(pytest.mark, each)) for each in ("torch", "tensorflow", "jax")),
    ],
)
def ran(request: pytest.FixtureRequest) -> list[Result]:
    """What came of the sample of one framework: healthy programs, and faults of the half that rules are written for."""
    sample = _sample(request.param)
    return list(workers.results({each.program.name: each.program for each in sample}.values(), sample))


def _sample(framework: str) -> list[Pair]:
    here = [each for each in programs() if each.framework == framework and each.library == framework]
    sample: list[Pair] = []
    for program in sorted(here, key=lambda each: hashed(each.name))[:PROGRAMS]:
        possible = [each for each in PAIRS if each.program == program and half(each.fault) == "even"]
        sample += sorted(possible, key=lambda each: hashed(each.name))[:PER_PROGRAM]
    return sample


def test_nothing_is_said_of_the_healthy_programs(ran: list[Result]) -> None:
    assert [
        (each.program, each.outcome, each.told) for each in ran if not each.fault and each.outcome != "silent"
    ] == []


def test_most_of_the_faults_are_named(ran: list[Result]) -> None:
    of_pairs = [each for each in ran if each.fault and each.counts]
    named = [each for each in of_pairs if each.outcome == "named"]
    assert len(of_pairs) > PROGRAMS * PER_PROGRAM / 2
    assert len(named) >= AS_MANY_NAMED * len(of_pairs), [each for each in of_pairs if each not in named]
