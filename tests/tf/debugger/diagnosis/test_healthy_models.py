"""What the documents show as working hears nothing but hints; what they show as a trap hears of it."""

from __future__ import annotations

import pytest

from tests.diagnosis.programs import loud
from tests.diagnosis.test_healthy_models import DOCUMENTS, WORKING, recorded


@pytest.mark.parametrize("name", WORKING)
def test_a_program_of_the_documents_is_silent(name: str) -> None:
    assert loud(recorded(DOCUMENTS[name], "tapeviz")) == []


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if name not in WORKING])
def test_a_program_that_shows_a_trap_is_not(name: str) -> None:
    assert loud(recorded(DOCUMENTS[name], "tapeviz"))
