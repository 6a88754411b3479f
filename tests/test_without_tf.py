"""The debugger without TensorFlow's namespace: in a copy of tapeviz that has no `tapeviz/tf`, its tests pass."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TESTS = (
    *("test_graph.py", "test_replay.py", "markup", "source/test_sites.py", "views/layout", "views/scene"),
    *("views/reading", "diagnosis/test_literal_logs.py", "diagnosis/test_programs.py"),
)
ASKED = "not compared and not read_again and not table and not message"
"""Of each program that it is explained, with the right line, and silent when it is repaired."""
LEAST = 800


@pytest.mark.slow
def test_the_debugger_passes_its_tests(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "tapeviz", tmp_path / "tapeviz", ignore=shutil.ignore_patterns("tf", "__pycache__"))
    shutil.copytree(ROOT / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("tf", "__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    options = ["-q", "-p", "no:cacheprovider", "-m", "not (slow or tensorflow or torch or jax or node)", "-k", ASKED]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *(f"tests/{each}" for each in TESTS)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert not (tmp_path / "tapeviz" / "tf").exists()
    assert int(re.findall(r"(\d+) passed", done.stdout)[-1]) >= LEAST
