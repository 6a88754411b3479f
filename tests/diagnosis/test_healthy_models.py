"""What the documents show as working hears nothing but hints."""

from __future__ import annotations

from pathlib import Path

import pytest

import tapeviz as tv
from tapeviz.events import EventLog
from tests.diagnosis.programs import loud
from tests.oracle import Program, read_program, run

ROOT = Path(__file__).parents[2]
DOCUMENTS = {path.stem: read_program(path) for path in sorted((ROOT / "tests" / "programs").glob("*.py"))}


def works(program: Program) -> bool:
    """Whether a document shows a program for what it gives, and not for an error or a gradient that is None."""
    return program.raises is None and not any("None" in line for line in program.printed or ())


def recorded(program: Program, framework: str) -> EventLog:
    with tv.record() as log:
        run(program, framework)
    return log


WORKING = [name for name, program in DOCUMENTS.items() if works(program)]


@pytest.mark.tensorflow
@pytest.mark.parametrize("name", WORKING)
def test_a_program_of_the_documents_is_silent_in_tensorflow(name: str) -> None:
    assert loud(recorded(DOCUMENTS[name], "tensorflow")) == []
