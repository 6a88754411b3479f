"""Ruff and mypy have nothing to say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CHECKS = {
    "ruff check": ["ruff", "check", "."],
    "ruff format": ["ruff", "format", "--check", "."],
    "mypy": ["mypy"],
}


@pytest.mark.parametrize("command", CHECKS.values(), ids=CHECKS)
def test_nothing_to_say(command: list[str]) -> None:
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-m", *command], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
