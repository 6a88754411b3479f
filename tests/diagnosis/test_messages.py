"""Every message, as it is read: `pytest --update-golden` on this file writes them anew, to be read before they land."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

import pytest

from tapeviz.diagnosis.diagnose import diagnose
from tests.diagnosis.cause_pages import placed
from tests.diagnosis.faulty import FAULTY
from tests.diagnosis.faulty_tensorflow import FAULTY as FAULTY_TENSORFLOW
from tests.diagnosis.faulty_torch import FAULTY_TORCH
from tests.diagnosis.programs import Program, run

FOLDER = Path(__file__).parent / "golden"
ENGINE = pytest.param("tapeviz", FAULTY, id="tapeviz")
FRAMEWORKS = [
    pytest.param("tensorflow", FAULTY_TENSORFLOW, id="tensorflow", marks=pytest.mark.tensorflow),
    pytest.param("torch", FAULTY_TORCH, id="torch", marks=pytest.mark.torch),
]


def numberless(text: str) -> str:
    """A framework's last digits are its own on every machine: what is not a whole number is a #."""
    return re.sub(r"-?\b\d+\.\d+(e[-+]?\d+)?|\b\d+e[-+]?\d+", "#", text)


@pytest.mark.parametrize(("module", "programs"), [ENGINE, *FRAMEWORKS])
def test_every_message_is_the_one_that_was_read(
    module: str, programs: Sequence[Program], golden: Callable[[Path, str], None]
) -> None:
    framework = import_module(module)
    said = [(each, str(diagnose(run(each.broken, framework, may_raise=True)))) for each in programs]
    text = placed("\n\n".join(f"== {each.causes[0]}: {each.name}\n{message}" for each, message in said)) + "\n"
    golden(FOLDER / f"messages_{module}.txt", text if module == "tapeviz" else numberless(text))
