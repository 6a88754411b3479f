"""The pages of `docs/causes` say what the findings say; `pytest --update-golden` on this file writes them anew."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from tapeviz.diagnosis import CAUSES
from tests.diagnosis.cause_pages import FOLDER, example, index, page, shown
from tests.diagnosis.programs import loud, run

Golden = Callable[[Path, str], None]
pytestmark = [pytest.mark.torch, pytest.mark.tensorflow]


@pytest.mark.parametrize("label", CAUSES)
def test_a_cause_has_its_page(label: str, golden: Golden) -> None:
    golden(FOLDER / f"{label}.md", page(CAUSES[label]))


def test_the_index_has_every_page(golden: Golden) -> None:
    golden(FOLDER / "README.md", index())
    assert {each.stem for each in FOLDER.glob("*.md")} == {*CAUSES, "README"}


WITH_PROGRAMS = [label for label in CAUSES if label != "conjugate_gradient"]
"""All causes but one that only functions of JAX have, whose page is of words alone."""


@pytest.mark.parametrize("label", WITH_PROGRAMS)
def test_a_cause_has_a_program(label: str) -> None:
    assert example(label) is not None


@pytest.mark.parametrize("label", WITH_PROGRAMS)
def test_the_repaired_program_of_a_page_runs_and_is_silent(label: str) -> None:
    given = example(label)
    assert given is not None
    program, module = given
    assert loud(run(shown(program.repaired, module), import_module(module))) == []
