"""Replicas of a strategy are recorded one after the other, op by op, and nothing of them changes."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow


@cache
def replicated() -> dict[str, Any]:
    """What a process with two devices says of each program."""
    command = [sys.executable, "-m", "tests.recorders.tensorflow.replicated"]
    done = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("name", ["own_loop", "merged_within_the_tape", "fit"])
def test_two_replicas_compute_the_same_and_are_recorded_op_by_op(name: str) -> None:
    found = replicated()[name]
    assert found["same"]
    assert found["scopes"] == ["replica 0 in another thread", "replica 1 in another thread"]
    assert found["told"].startswith("Nothing found."), found["told"]


def test_every_gradient_of_each_replica_is_in_the_log() -> None:
    counts = {name: (each["gradients"], each["returned"]) for name, each in replicated().items()}
    assert counts == {"own_loop": (2, 2), "merged_within_the_tape": (2, 2), "fit": (32, 0)}
