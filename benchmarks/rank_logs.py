"""Logs of 2, 8 and 64 ranks of a model of 600 ops -> what it takes to open them as one page.

python -m benchmarks.rank_logs [FOLDER]

Two processes train the model together, joined by gloo on 127.0.0.1. The logs of more ranks are theirs again, each with
noise in its values, another op in one place, and fewer steps. Seconds are of the processor, of a process for each
number of ranks, with the libraries that a page needs loaded before. The folder keeps the logs for the next time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import numpy as np

import tapeviz as tv
from benchmarks.table import table
from tapeviz.events import EventLog, OpRecorded, OptimizerStepped
from tapeviz.events.readers.tables import NEVER, Tables
from tapeviz.events.row import Row
from tapeviz.events.store.ranks import rank_file

BLOCKS = 100
"""Of six ops and six parameters each."""
STEPS = 2
COUNTS = {2: 1.0, 8: 1.5, 64: 4.0}
"""Numbers of ranks, and the seconds in which a page of them is to be there."""


def train(rank: int, folder: Path) -> None:
    """The log of one of two processes."""
    torch: Any = import_module("torch")
    torch.set_num_threads(1)
    nn, dist = torch.nn, torch.distributed
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.norm = nn.LayerNorm(16)
            self.wide = nn.Linear(16, 32)
            self.narrow = nn.Linear(32, 16)

        def forward(self, x: Any) -> Any:
            return x + self.narrow(nn.functional.gelu(self.wide(self.norm(x)))) * 0.1

    torch.manual_seed(0)
    model = nn.parallel.DistributedDataParallel(nn.Sequential(*(Block() for _ in range(BLOCKS))))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    torch.manual_seed(rank + 1)
    with tv.record() as log:
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss = model(torch.randn(4, 16)).square().mean()
            loss.backward()
            optimizer.step()
    tv.save(log, rank_file(folder, rank))
    dist.destroy_process_group()


class NoisyLog(EventLog):
    """A log with noise in its values, another op in one place, and perhaps a step less."""

    def __init__(self, log: EventLog, rank: int) -> None:
        super().__init__(framework=log.framework)
        self._of = log
        self._noisy = _with_noise(log, rank)

    def _read(self) -> Tables:
        return self._noisy

    def row(self, op: str) -> Row | None:
        return self._of.row(op)


def _with_noise(log: EventLog, rank: int) -> Tables:
    tables, of = Tables({}), log._read()
    tables.places, tables.missed = of.places, of.missed
    steps = list(log.of_kind(OptimizerStepped))
    step = steps[len(steps) - 1 - rank % len(steps)]
    end = next((at for at in log.of_kind(OpRecorded) if at > step), len(log.events))
    tables.events = list(log.events[:end])
    ops = [at for at, each in log.of_kind(OpRecorded).items() if each.op == "gelu" and at < len(tables.events)]
    other = tables.events[ops[rank % len(ops)]]
    assert isinstance(other, OpRecorded)
    tables.events[ops[rank % len(ops)]] = replace(other, op="silu")
    draw = np.random.default_rng(rank)
    for row in log.tensors:
        tables.tensors.add_row(row)
        for since, value in log.versions(row.id):
            if since != NEVER and since <= len(tables.events):
                tables.tensors.hold(row.id, since, _noisy_value(value, draw) if row.role != "variable" else value)
    return tables


def _noisy_value(value: Any, draw: np.random.Generator) -> Any:
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
        return value
    return value * (1.0 + 0.01 * draw.standard_normal(value.shape)).astype(value.dtype)


def write(folder: Path, count: int) -> Path:
    """A folder of the logs of so many ranks."""
    place = folder / f"of-{count}"
    if place.exists():
        return place
    first = folder / "of-2"
    if not first.exists():
        first.mkdir()
        _both([sys.executable, "-m", "benchmarks.rank_logs", "train", str(first)])
        (first / "store").unlink(missing_ok=True)
    if count > 2:
        place.mkdir()
        logs = [tv.load(rank_file(first, rank)) for rank in range(2)]
        for rank in range(count):
            tv.save(NoisyLog(logs[rank % 2], rank), rank_file(place, rank))
    return place


def _both(command: list[str]) -> None:
    running = [subprocess.Popen([*command, str(rank)]) for rank in range(2)]
    ended = [each.wait() for each in running]
    if any(ended):
        raise SystemExit("one of the processes failed")


def opened(place: Path) -> dict[str, float]:
    """Seconds of the processor and of the clock, and bytes, of a page of a folder."""
    for name in ("tapeviz.views.page.save_html", "tapeviz.diagnosis.diagnose", "latex2mathml.converter"):
        import_module(name)
    start, begin = perf_counter(), process_time()
    page = tv.save_html(tv.load(place), place.with_suffix(".html"))
    return {"busy": process_time() - begin, "clock": perf_counter() - start, "bytes": page.stat().st_size}


def main(folder: Path) -> None:
    rows = []
    for count, limit in COUNTS.items():
        command = [sys.executable, "-m", "benchmarks.rank_logs", "open", str(write(folder, count))]
        done = subprocess.run(command, env=os.environ, stdout=subprocess.PIPE, text=True, check=True)
        took = json.loads(done.stdout)
        rows.append(
            (f"{count} ranks", f"{took['busy']:.2f} s", f"{took['clock']:.2f} s", f"{limit} s", f"{took['bytes']:,}")
        )
    print(table("a page of a model of 600 ops", ("processor", "clock", "to be", "bytes"), rows))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["train", place, rank]:
            train(int(rank), Path(place))
        case ["open", place]:
            print(json.dumps(opened(Path(place))))
        case [place]:
            Path(place).mkdir(exist_ok=True)
            main(Path(place))
        case _:
            with TemporaryDirectory() as temporary:
                main(Path(temporary))
