"""Long recordings -> what it takes to save, load, diagnose and show them: seconds of the processor, and memory.

python -m benchmarks.long_logs [OPS]

Each figure is of one process after the other, and of the first time; the memory is what is held at most above that of
the recording, or of the empty process that loads it. Linux only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any

import tapeviz as tv
from benchmarks.memory import bytes_held, peak_begins
from benchmarks.page_programs import chain
from benchmarks.table import table

OPS = 100_000
LAYERS = 21
MIB = 1 << 20


def _torch() -> Any:
    torch: Any = import_module("torch")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    return torch


def of_training(ops: int) -> Any:
    """Steps of a small MLP in PyTorch, with SGD."""
    torch = _torch()
    layers = [layer for _ in range(LAYERS) for layer in (torch.nn.Linear(32, 32), torch.nn.ReLU())]
    net, x = torch.nn.Sequential(*layers), torch.randn(8, 32)
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    with tv.record() as log:
        for _ in range(ops // (2 * LAYERS + 2)):
            optimizer.zero_grad()
            net(x).square().mean().backward()
            optimizer.step()
    return log


def of_deep_passes(ops: int) -> Any:
    """Backward passes of PyTorch, each through 10,000 ops."""
    torch = _torch()
    w = (torch.randn(8, 8) * 0.3).requires_grad_()
    with tv.record() as log:
        for _ in range(max(1, ops // 10_000)):
            h = torch.randn(8, 8)
            for _ in range(min(ops, 10_000) // 2):
                h = torch.tanh(h @ w)
            h.sum().backward()
    return log


def of_engine(ops: int) -> Any:
    """A chain of the engine's."""
    return chain(ops // 3).log


PROGRAMS: dict[str, Callable[[int], Any]] = {each.__name__: each for each in (of_training, of_deep_passes, of_engine)}


def measured(program: str, ops: int, folder: Path) -> dict[str, tuple[float, float]]:
    """Seconds and bytes of each, by what is done."""
    path = folder / "long.tape"
    if not path.exists():
        log = PROGRAMS[program](ops)
        return {"saved": _taken(lambda: tv.save(log, path))}
    logs: list[Any] = []
    return {
        "loaded": _taken(lambda: logs.append(tv.load(path))),
        "diagnosed": _taken(lambda: tv.diagnose(logs[0])),
        "shown": _taken(lambda: tv.save_html(logs[0], folder / "long.html")),
    }


def _taken(work: Callable[[], object]) -> tuple[float, float]:
    peak_begins()
    before, begin = bytes_held("VmRSS"), process_time()
    work()
    return process_time() - begin, (bytes_held("VmHWM") - before) / MIB


def main() -> None:
    ops = int(sys.argv[1]) if len(sys.argv) > 1 else OPS
    rows = []
    for program in PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            found: dict[str, tuple[float, float]] = {}
            for _ in range(2):
                command = [sys.executable, "-m", "benchmarks.long_logs", program, str(ops), folder]
                done = subprocess.run(command, env=os.environ, stdout=subprocess.PIPE, text=True, check=True)
                found |= json.loads(done.stdout)
        rows.append((program, *(f"{seconds:.1f} s, {mib:,.0f} MiB" for seconds, mib in found.values())))
    print(table(f"logs of {ops:,} ops", ("saved", "loaded", "diagnosed", "shown"), rows))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        print(json.dumps(measured(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))))
    else:
        main()
