"""The repository -> its wheel, as it is released, and those that it needs of Python alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
PINNED = Path(__file__).with_name("wheels.txt")


def wheels(folder: Path) -> list[Path]:
    """Write them into a folder.

    Raises:
        RuntimeError: one could not be built, or fetched, or has another checksum; it says what pip said.
    """
    python = [sys.executable, "-m"]
    _run(*python, "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    pip = [*python, "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
    _run(*pip, "--dest", folder, "--requirement", PINNED)
    return sorted(folder.glob("*.whl"))


def _run(*command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError((done.stderr or done.stdout).strip().splitlines()[-1])
