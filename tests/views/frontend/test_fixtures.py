"""What the tests in Node read is what the package writes today."""

from __future__ import annotations

import json

import pytest

from tests.views.frontend.fixture_tapes import FOLDER, TAPES, written


@pytest.mark.parametrize("name", TAPES)
def test_a_fixture_is_what_would_be_written(name: str) -> None:
    kept = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    assert json.loads(kept) == json.loads(written(name)), "run python -m tests.views.frontend.fixture_tapes"
