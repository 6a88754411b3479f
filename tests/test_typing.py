"""mypy has nothing to say of the package, and a user's type checker knows the public names, and what they give."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import tapeviz as tf
from tapeviz.keras import layers

x = tf.Variable(3.0)
with tf.GradientTape() as tape, tf.record() as log:
    y = tf.sin(x) * x
"""
TYPES = {
    "x": "tapeviz.engine.tensors.variable.Variable",
    "tf.constant([1.0])": "tapeviz.engine.tensors.tensor.Tensor",
    "tf.sin(x)": "Any",
    "tf.keras.layers.Dense(3)": "tapeviz.tf.keras.layers.dense.Dense",
    "layers.Dense(3)": "tapeviz.tf.keras.layers.dense.Dense",
    "log.tensors[0]": "tapeviz.events.types.TensorInfo",
    "tape.log": "tapeviz.events.log.EventLog",
    "tf.diagnose(tape)": "tapeviz.diagnosis.finding.Findings",
    "tf.table(tape)": "tapeviz.diagnosis.table.Table | tapeviz.diagnosis.ranks.spread.Spread",
    "tf.debug(tape)": "tapeviz.live.debug.LiveDebugger",
    "tf.draw(tape)": "tapeviz.views.drawing.draw.Drawing",
    "tf.to_dot(tape)": "str",
    "tf.load('run.tape')": "tapeviz.events.store.loaded_log.LoadedLog | tapeviz.events.store.ranks.Ranks",
}
"""Expressions in the program, and what mypy says that each is."""
REVEALED = re.compile(r'Revealed type is "(?:builtins\.)?([^"]*)"')


ROOT = Path(__file__).parents[1]


def mypy(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """With the options and the cache of the package: what is known of it is found out once."""
    options = ("--config-file", ROOT / "pyproject.toml", "--cache-dir", ROOT / ".mypy_cache")
    command = [sys.executable, "-m", "mypy", *options, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@pytest.fixture(scope="module")
def package() -> subprocess.CompletedProcess[str]:
    """What mypy says of the package."""
    return mypy(ROOT)


@pytest.mark.slow
@pytest.mark.torch  # whose recorder is checked against its types
def test_the_package_is_checked_strictly(package: subprocess.CompletedProcess[str]) -> None:
    assert package.returncode == 0, package.stdout + package.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("package")
def test_a_users_program_is_checked_strictly(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM + "".join(f"reveal_type({each})\n" for each in TYPES), encoding="utf-8")
    done = mypy(tmp_path, file)
    assert dict(zip(TYPES, REVEALED.findall(done.stdout), strict=True)) == TYPES
    assert done.returncode == 0, done.stdout
