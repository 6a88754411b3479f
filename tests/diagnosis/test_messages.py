"""The files of every message: `pytest --update-golden` on this file writes them anew, to be read before they land.

What a program says is compared with its section where the program runs for its other tests, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import pytest

from tests.diagnosis import messages
from tests.diagnosis.faulty import FAULTY
from tests.diagnosis.faulty_tensorflow import FAULTY as FAULTY_TENSORFLOW
from tests.diagnosis.faulty_torch import FAULTY_TORCH
from tests.diagnosis.programs import Pair, Program

ENGINE = pytest.param("tapeviz", FAULTY, id="tapeviz")
FRAMEWORKS = [
    pytest.param("tensorflow", FAULTY_TENSORFLOW, id="tensorflow", marks=pytest.mark.tensorflow),
    pytest.param("torch", FAULTY_TORCH, id="torch", marks=pytest.mark.torch),
]


@pytest.mark.parametrize(("framework", "programs"), [ENGINE, *FRAMEWORKS])
def test_a_message_of_every_program_was_read(
    framework: str, programs: Sequence[Program], request: pytest.FixtureRequest
) -> None:
    if request.config.getoption("--update-golden"):
        messages.write(framework, [Pair(each, import_module(framework)) for each in programs])
    assert list(messages.read(framework)) == messages.titles(programs)
