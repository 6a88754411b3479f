"""A user's type checker knows the public names, and what they give."""

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
    "tf.table(tape)": "tapeviz.diagnosis.table.Table",
    "tf.debug(tape)": "tapeviz.live.debug.LiveDebugger",
    "tf.draw(tape)": "tapeviz.views.drawing.draw.Drawing",
    "tf.to_dot(tape)": "str",
    "tf.load('run.tape')": "tapeviz.events.store.load.LoadedLog",
}
"""Expressions in the program, and what mypy says that each is."""
REVEALED = re.compile(r'Revealed type is "(?:builtins\.)?([^"]*)"')


@pytest.mark.slow
def test_a_users_program_is_checked_strictly(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM + "".join(f"reveal_type({each})\n" for each in TYPES), encoding="utf-8")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", file]
    done = subprocess.run(mypy, cwd=tmp_path, capture_output=True, text=True)
    assert dict(zip(TYPES, REVEALED.findall(done.stdout), strict=True)) == TYPES
    assert done.returncode == 0, done.stdout
