"""Nothing is warned of: 1/0 and log(0) are as silent as in TensorFlow, and nothing is left open."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Python in developer mode, every warning an error."""
    return subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", *arguments], capture_output=True, text=True, cwd=ROOT, timeout=280
    )


@pytest.mark.slow
def test_every_op_is_silent_at_its_edges() -> None:
    done = run("-m", "tests.edge_values")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_users_own_warnings_are_left_alone() -> None:
    done = run("-c", "import numpy as np, tapeviz; np.float32(1) / np.float32(0)")
    assert "RuntimeWarning: divide by zero" in done.stderr


DIVERGES = """
import tapeviz as tf
w = tf.Variable(1e20)
for _ in range(5):
    with tf.GradientTape() as tape:
        loss = (w * w - 1.0) ** 2
    w.assign_sub(1e10 * tape.gradient(loss, w))
print(w.numpy())
"""


def test_a_training_that_diverges_is_silent() -> None:
    done = run("-c", DIVERGES)
    assert (done.returncode, done.stdout, done.stderr) == (0, "nan\n", "")
