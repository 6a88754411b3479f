"""The name of what .ci/setup fetches from npm -> its path in the user's cache; a test without it skips."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest


def fetched(name: str, variable: str) -> Path:
    """`$variable`, or what .ci/setup keeps as `name`; where CI could have fetched it and did not, the test fails."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    path = Path(os.environ.get(variable) or cache / "tapeviz" / name)
    if path.exists():
        return path
    missing = f"{path} is not here: `make test` fetches it with npm, or set {variable} to its path"
    if os.environ.get("CI") and shutil.which("npm"):
        pytest.fail(missing)
    pytest.skip(missing)
