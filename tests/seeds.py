"""A test of one random program, made of a seed -> the test of many: of the same at every run, unless told otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

HOUR = 3600
"""Seconds; thousands of programs take more than a test usually may."""


def each_seed(test: Callable[..., None]) -> Callable[..., None]:
    """The test for each `seed` that is drawn; a smaller one makes no simpler program, so none is looked for."""
    many: Any = settings(
        max_examples=2 * settings.default.max_examples,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    drawn: Callable[..., None] = pytest.mark.timeout(HOUR)(many(given(seed=st.integers(0, 2**32 - 1))(test)))
    return drawn
