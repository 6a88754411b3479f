"""pytest with tapeviz's option and fixture: what is added to the report of a test, seen by pytest's own reader."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FAILING = """
import tapeviz as tf

def test_of_a_tape():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x) is not None

def test_of_no_tape():
    assert 1 + 1 == 3

def test_that_is_right():
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = w * w
    assert float(tape.gradient(y, w)) == 4.0
"""


def pytest_run(folder: Path, text: str, *arguments: str) -> str:
    """What pytest prints of a file of tests."""
    path = folder / "test_it.py"
    path.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "tapeviz.cli.pytest_plugin", "-p", "no:cacheprovider", "-q"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [*command, *arguments, str(path)], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    return done.stdout + done.stderr


def test_findings_are_under_the_test_that_fails(tmp_path: Path) -> None:
    told = pytest_run(tmp_path, FAILING, "--tapeviz")
    assert told.count("- tapeviz -") == 1
    assert "[not_watched]" in told
    assert "tape.watch(x)" in told
    assert "2 failed, 1 passed" in told


def test_without_the_option_nothing_is_recorded(tmp_path: Path) -> None:
    told = pytest_run(tmp_path, FAILING)
    assert "[not_watched]" not in told
    assert "2 failed, 1 passed" in told


USING = """
import tapeviz as tf

def test_of_gradients(tape_log):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    assert len(tape_log.events) > 3
    assert not tf.diagnose(tape_log)

def test_that_fails(tape_log):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    assert not tf.diagnose(tape_log)
"""


@pytest.mark.parametrize("option", [(), ("--tapeviz",)])
def test_a_test_has_its_own_log(tmp_path: Path, option: tuple[str, ...]) -> None:
    told = pytest_run(tmp_path, USING, *option)
    assert "1 failed, 1 passed" in told
    assert told.count("- tapeviz -") == 1


def test_the_package_brings_the_plugin() -> None:
    assert 'tapeviz = "tapeviz.cli.pytest_plugin"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
