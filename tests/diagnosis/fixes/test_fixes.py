"""Patches that findings have, applied to their programs: what is run again is healed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.diagnosis.fixes.healing import LIMIT, apply, healed, unwritten
from tests.diagnosis.fixes.programs import Faulty, marked, pages
from tests.diagnosis.fixes.running import PROGRAM, by_command, in_process
from tests.sampling import sample

pytestmark = [
    pytest.mark.torch,
    pytest.mark.tensorflow,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not there"),
]

UNHEALED = {
    "recording_disabled-inference_features": "autograd is off where it was off, and no error comes of it",
    "recording_disabled-generator_under_inference": "the same",
    "nondifferentiable_op-rows_that_are_rounded": "the numbers that are drawn round to those that are wanted",
    "stop_gradient-data_in_a_function_that_is_mapped": "no gradient of it is kept",
}
"""Programs in which a patch does what it says, and the repair by hand does more."""

SAMPLE = [*sample((each for each in marked() if each.name not in UNHEALED), 100, lambda each: each.name)]
HEALED_PAGES = 0.85
TOLD_SHORTLY = 0.95


@pytest.mark.parametrize("faulty", SAMPLE, ids=lambda each: f"{each.framework}-{each.name}")
def test_a_patch_heals(faulty: Faulty, tmp_path: Path) -> None:
    """Where a finding has one; and no finding says to write what its patch does not write."""
    outcome = healed(faulty, tmp_path, in_process)
    assert outcome.is_healed or not outcome.has_patch, outcome
    told = [each for found in outcome.rounds for each in found]
    assert [unwritten(each["fix"], each["patch"]) for each in told if unwritten(each["fix"], each["patch"])] == []


def test_most_pages_are_healed_by_patches_alone(tmp_path: Path) -> None:
    programs = list(pages())
    outcomes = {each.name: healed(each, tmp_path, in_process) for each in programs}
    assert [name for name, each in outcomes.items() if each.has_patch and not each.is_healed] == []
    assert sum(each.is_healed for each in outcomes.values()) >= HEALED_PAGES * len(programs)
    assert sum(each.tokens < LIMIT for each in outcomes.values()) >= TOLD_SHORTLY * len(programs)


@pytest.mark.parametrize("name", ["not_watched", "inplace_modification"])
def test_the_patch_of_a_command_is_the_same(name: str, tmp_path: Path) -> None:
    faulty = next(each for each in pages() if each.name == name)
    (tmp_path / PROGRAM).write_text(faulty.text)
    commanded, here = by_command(tmp_path), in_process(tmp_path)
    assert [each["patch"] for each in commanded] == [each["patch"] for each in here] != [""]
    assert apply(commanded[0]["patch"], tmp_path)
