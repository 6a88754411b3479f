"""The front end's pure modules, each tested by a file of its own in Node."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.rglob("*.test.mjs"))


@pytest.mark.node
@pytest.mark.parametrize("file", FILES, ids=[str(file.relative_to(FOLDER)) for file in FILES])
def test_in_node(file):
    done = subprocess.run(["node", "--test", str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# pass 0" not in done.stdout
