"""Ruff and mypy have nothing to say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CHECKS = [
    pytest.param(["ruff", "check", "."], id="ruff check"),
    pytest.param(["ruff", "format", "--check", "."], id="ruff format"),
    pytest.param(["mypy"], id="mypy", marks=pytest.mark.torch),  # whose recorder is checked against its types
]


@pytest.mark.parametrize("command", CHECKS)
def test_nothing_to_say(command: list[str]) -> None:
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-m", *command], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
