"""Training steps of one process, and of one of two that share the gradients -> what a recording adds to each.

python -m benchmarks.rank_steps [--rounds N]

Two processes are joined by gloo on 127.0.0.1. Each round takes some steps in turns, recorded and not, of a model that
each process trains by itself and of one that they train together, so that whatever else the machine does slows all of
them. The figures are the processor time of a step that a recording adds where they train together, as a multiple of
what it adds where each trains by itself, and the same of how many times as long a step takes; 1.1 is the most that they
are to be. Beside them: whether the same collectives are issued in the same order with a recording.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from contextlib import nullcontext
from importlib import import_module
from itertools import product
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import tapeviz as tv
from benchmarks.table import table

STEPS = 10
BLOCKS = 30


def training(is_shared: bool) -> Callable[[], None]:
    """Steps of SGD, of a model of 90 ops."""
    torch: Any = import_module("torch")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    layers = [
        each for _ in range(BLOCKS) for each in (torch.nn.LayerNorm(64), torch.nn.Linear(64, 64), torch.nn.Tanh())
    ]
    model = torch.nn.Sequential(*layers)
    if is_shared:
        model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(32, 64)

    def steps() -> None:
        for _ in range(STEPS):
            optimizer.zero_grad()
            model(x).square().mean().backward()
            optimizer.step()

    return steps


def measured(rounds: int) -> dict[str, list[float]]:
    """Seconds of the processor of a step, recorded and not, of either training, round by round."""
    trainings = {each: training(each) for each in (False, True)}
    found: dict[str, list[float]] = {_name(*each): [] for each in product(trainings, (False, True))}
    for number in range(rounds + 1):
        for is_shared, steps in trainings.items():
            for is_recorded, block in enumerate((nullcontext, tv.record)):
                begin = process_time()
                with block():
                    steps()
                if number:  # the first one warms up
                    found[_name(is_shared, bool(is_recorded))].append((process_time() - begin) / STEPS)
    return found


def _name(is_shared: bool, is_recorded: bool) -> str:
    return f"{'together' if is_shared else 'alone'}{', recorded' if is_recorded else ''}"


def collectives() -> bool:
    """Whether the same collectives are issued, in the same order, with a recording and without."""
    torch: Any = import_module("torch")
    steps = training(is_shared=True)
    steps()  # after the first pass the buckets are arranged anew, which the processes tell each other
    issued = []
    for block in (nullcontext, tv.record):
        with block(), torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            steps()
        events = [each for each in profile.events() if each.name.startswith("c10d::")]
        issued.append([each.name for each in sorted(events, key=lambda each: each.time_range.start)])
    return bool(issued[0]) and issued[0] == issued[1]


def of_rank(store: str, rank: int, rounds: int) -> None:
    """Measure one of the two processes, and print it."""
    dist: Any = import_module("torch.distributed")
    dist.init_process_group("gloo", init_method=store, rank=rank, world_size=2)
    print(json.dumps({**measured(rounds), "same": collectives()}))
    dist.destroy_process_group()


def main(rounds: int) -> None:
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.rank_steps", "--store", f"file://{folder}/store"]
        own = [[*command, "--rank", str(rank), "--rounds", str(rounds)] for rank in range(2)]
        running = [subprocess.Popen(each, env=os.environ, stdout=subprocess.PIPE, text=True) for each in own]
        took = [json.loads(each.communicate()[0]) for each in running]
    added, times, rows = [], [], []
    for is_shared in (False, True):
        plain, recorded = (
            [each for of_one in took for each in of_one[_name(is_shared, is_recorded)]] for is_recorded in (False, True)
        )
        added.append(statistics.median(more - less for less, more in zip(plain, recorded, strict=True)))
        times.append(statistics.median(recorded) / statistics.median(plain))
        cells = (statistics.median(plain), statistics.median(recorded), added[-1])
        rows.append((_name(is_shared, False), *(f"{each * 1e3:.2f} ms" for each in cells), f"{times[-1]:.2f}"))
    rows.append(("together, as a multiple", "", "", *(f"{each[1] / each[0]:.2f}" for each in (added, times))))
    title = f"a step of {3 * BLOCKS} ops: seconds of the processor"
    print(table(title, ("plain", "recorded", "added", "times"), rows))
    print("the same collectives" if all(each["same"] for each in took) else "other collectives")


if __name__ == "__main__":
    parser = ArgumentParser("python -m benchmarks.rank_steps")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--store")
    parser.add_argument("--rank", type=int, default=0)
    options = parser.parse_args()
    if options.store:
        of_rank(options.store, options.rank, options.rounds)
    else:
        main(options.rounds)
