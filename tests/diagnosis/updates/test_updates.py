"""Healthy steps of optimizers hear nothing, not even a hint; what is faulty in them is in `faulty_torch_updates`."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.diagnosis.faulty_torch_updates import HEALTHY
from tests.diagnosis.programs import run

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

import tapeviz as tv  # noqa: E402


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_step_hears_nothing(name: str) -> None:
    assert [f"{each.cause}: {each.message}" for each in tv.diagnose(run(dedent(HEALTHY[name]).strip(), torch))] == []
