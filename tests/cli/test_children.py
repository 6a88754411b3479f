"""Processes that a program starts by itself: those that take gradients, which no log has, are told of on one line."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from concurrent.futures import process as executor
from functools import partial
from multiprocessing import pool
from pathlib import Path
from typing import Any

import pytest

from tapeviz.cli.children import CURE, Children
from tapeviz.cli.started import How, StartedRanks
from tests.cli.test_ranks import run

GRADIENT = """
import multiprocessing
import tapeviz as tf
def work(number):
    with tf.GradientTape() as tape:
        x = tf.Variable(number + 1.0)
        y = x * x
    return float(tape.gradient(y, x)) if TAKES else float(y)
if __name__ == "__main__":
    fork = multiprocessing.get_context("fork")
    processes = [fork.Process(target=work, args=(number,)) for number in range(3)]
    for each in processes:
        each.start()
    for each in processes:
        each.join()
    with fork.Pool(2) as pool:
        print(pool.map(abs, [-1, -2]))
"""


def ran(folder: Path, *, takes: bool) -> subprocess.CompletedProcess[str]:
    (folder / "work.py").write_text(GRADIENT.replace("TAKES", str(takes)))
    return run(folder, sys.executable, "-m", "tapeviz", "run", "work.py")


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is forked there")
def test_forks_that_take_gradients_are_told_of_and_others_are_not(tmp_path: Path) -> None:
    done = ran(tmp_path, takes=True)
    assert (done.returncode, done.stdout) == (0, "[1, 2]\n")
    assert done.stderr.count("3 processes that the program started to run `work` took gradients, unrecorded: have") == 1
    done = ran(tmp_path, takes=False)
    assert (done.returncode, done.stdout) == (0, "[1, 2]\n")
    assert "took" not in done.stderr


TRAINING = """
def train(rank):
    loss.backward()
def trained_and_recorded(rank):
    pass
"""
FETCHING = """
def fetch(number):
    return open(number)
"""


def function(folder: Path, text: str, name: str) -> Any:
    """A function of a file of the user's."""
    path = folder / f"{name}.py"
    path.write_text(text)
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, str(path), "exec"), space)
    return space[name]


@pytest.mark.parametrize(
    ("target", "arguments", "is_told"),
    [
        ((TRAINING, "train"), (), True),
        ((FETCHING, "fetch"), (), False),
        ((TRAINING.replace("loss", "tapeviz"), "trained_and_recorded"), (), False),
        (pool.worker, (None,), False),
        (executor._process_worker, (None,), False),
        (subprocess.list2cmdline, ((TRAINING, "train"),), True),
        (subprocess.list2cmdline, ((FETCHING, "fetch"),), False),
    ],
)
def test_what_begins_anew_is_judged_by_what_it_is_to_run(
    target: Any, arguments: tuple[Any, ...], is_told: bool, tmp_path: Path
) -> None:
    """A function of a library's that is given a function, as `torch.multiprocessing.spawn` has one, runs that."""
    known, *given = (function(tmp_path, *each) if isinstance(each, tuple) else each for each in (target, *arguments))
    children = Children(StartedRanks(How(None, None, ()), None, "train.py", are_recorded=False))
    for make in (known, partial(known)):
        process = multiprocessing.get_context("spawn").Process(target=make, args=tuple(given))
        children.start(lambda each: None, process)
    told = children.sentence(is_alone=False)
    assert told == (
        f"2 processes that the program started to run `train` may have taken gradients, unrecorded: {CURE}" * is_told
    )
