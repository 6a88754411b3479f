"""The debugger without TensorFlow's namespace: in a copy of tapeviz that has no `tapeviz/tf`, its tests pass.

A quarter of their files is tried, or all of them in thorough tests.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sampling import THOROUGH, sample

ROOT = Path(__file__).parents[1]
ROOMS = (
    *("diagnosis", "events", "live", "markup", "recorders", "source", "views"),
    *("test_bad_input.py", "test_bfloat16.py", "test_graph.py", "test_replay.py", "test_verbs.py"),
)
QUICK = "not (slow or browser or graphviz or node or tensorflow or torch or jax)"
LONG = (
    *("diagnosis/test_growth.py", "events/test_store.py", "live/test_history.py", "recorders/test_record.py"),
    *("recorders/test_memory.py", "views/page/test_compare_page.py"),
    *(f"diagnosis/test_programs.py::test_{each}" for each in ("the_fault_and_its_repair_are_compared", "read_again")),
    "diagnosis/test_programs.py::test_a_healthy_program_that_is_read_again",
)
"""Half of the time is theirs. They pass, too, as all tests do that stand outside of `tests/tf` and are the debugger's:
`pytest tests/diagnosis tests/recorders`, in such a copy, with whatever frameworks there are."""


def tried() -> list[str]:
    """The files of the debugger's tests that are run."""
    here = ROOT / "tests"
    files = [path for room in ROOMS for path in (sorted((here / room).rglob("test_*.py")) or [here / room])]
    names = [path.relative_to(ROOT).as_posix() for path in files]
    return names if THOROUGH else sample(names, len(names) // 4)


@pytest.mark.slow
@pytest.mark.timeout(1200)  # it runs thousands
def test_the_debugger_passes_its_tests(tmp_path: Path) -> None:
    for each in ("tapeviz", "tests", "benchmarks"):
        shutil.copytree(ROOT / each, tmp_path / each, ignore=shutil.ignore_patterns("tf", "__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    left_out = [option for each in LONG for option in ("--deselect", f"tests/{each}")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", QUICK, *left_out, *tried()],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert not (tmp_path / "tapeviz" / "tf").exists()
    assert int(re.findall(r"(\d+) passed", done.stdout)[-1]) >= 10 * len(tried())
