"""Frameworks -> bytes per recorded op, and the peak of an MLP step, each measured in a process of its own.

A process is the only honest scale: what PyTorch and TensorFlow allocate is seen by no Python tool. Linux only.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.frameworks import framework
from benchmarks.programs import chain, mlp

PROCESS = Path("/proc/self")

ALLOCATOR = {
    "MALLOC_MMAP_THRESHOLD_": "65536",  # arrays are mapped one by one, so that what is freed is seen to be freed
    "NUMPY_MADVISE_HUGEPAGE": "0",
    "TF_ENABLE_ONEDNN_OPTS": "0",  # it would keep freed tensors in a pool of its own
}


def available() -> bool:
    """Whether this system tells a process how much memory it holds, and how much it held at most."""
    return (PROCESS / "clear_refs").exists()


def alone(measure: Callable[[str], Any], name: str) -> Any:
    """`measure(name)` in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.memory", measure.__name__, name]
    done = subprocess.run(command, env=os.environ | ALLOCATOR, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def bytes_per_op(name: str, ops: int = 30_000) -> float:
    """What an op of the scalar chain leaves behind until `gradient()` is called."""
    recorder = framework(name).recorder
    alive = [recorder(chain(ops // 3))()]
    before = bytes_held("VmRSS")
    alive.append(recorder(chain(ops))())
    return (bytes_held("VmRSS") - before) / ops


def step_peaks(name: str, batch: int = 4096, steps: int = 5) -> tuple[float, float]:
    """Bytes above those before an MLP step: held after its forward pass, and at its peak. Medians."""
    record = framework(name).recorder(mlp(batch=batch))
    record()()
    held, peaks = [], []
    for _ in range(steps):
        peak_begins()
        before = bytes_held("VmRSS")
        pull = record()
        held.append(bytes_held("VmRSS") - before)
        gradients = pull()
        peaks.append(bytes_held("VmHWM") - before)
        del pull, gradients
    return statistics.median(held), statistics.median(peaks)


def peak_begins() -> None:
    """What this process held at most is forgotten."""
    (PROCESS / "clear_refs").write_text("5")


def bytes_held(which: str) -> int:
    """Bytes this process holds ("VmRSS"), or held at most ("VmHWM")."""
    lines = (PROCESS / "status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(which))


if __name__ == "__main__":
    print(json.dumps({each.__name__: each for each in (bytes_per_op, step_peaks)}[sys.argv[1]](sys.argv[2])))
