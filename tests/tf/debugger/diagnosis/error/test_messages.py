"""Errors of optimizers and of traced functions have a note, by what they say."""

from __future__ import annotations

import pytest

from tapeviz.diagnosis.error.messages import MessagePart
from tests.diagnosis.error.test_messages import BEYOND
from tests.diagnosis.error.test_messages import (
    test_the_error_that_says_it_has_a_note as test_the_error_that_says_it_has_a_note,
)


@pytest.fixture(params=BEYOND.items(), ids=lambda each: each[0].name)
def program(request: pytest.FixtureRequest) -> tuple[str, MessagePart, str]:
    return "tapeviz", *request.param
