"""Training steps of one process, and of one of two that share the gradients -> what a recording adds to each.

python -m benchmarks.rank_steps [--rounds N]

Each round takes some steps in turns, recorded and not, in a process by itself and in two that are joined by gloo on
127.0.0.1; two run at the same time in either case. The figures are the processor time of a step that a recording adds
in one of two processes, as a multiple of what it adds in one, and the same of how many times as long a step takes; 1.1
is the most that they are to be. Beside them: whether both issue the same collectives in the same order.
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


def measured(is_shared: bool, rounds: int) -> dict[str, list[float]]:
    """Seconds of the processor of a step, recorded and not, round by round."""
    steps = training(is_shared)
    found: dict[str, list[float]] = {"alone": [], "recorded": []}
    for number in range(rounds + 1):
        for name, block in (("alone", nullcontext), ("recorded", tv.record)):
            begin = process_time()
            with block():
                steps()
            if number:  # the first one warms up
                found[name].append((process_time() - begin) / STEPS)
    return found


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


def of_rank(store: str, rank: int, count: int, rounds: int) -> None:
    """Measure one process of `count`, and print it."""
    dist: Any = import_module("torch.distributed")
    if count > 1:
        dist.init_process_group("gloo", init_method=store, rank=rank, world_size=count)
    print(json.dumps({**measured(count > 1, rounds), "same": collectives() if count > 1 else True}))
    if count > 1:
        dist.destroy_process_group()


def main(rounds: int) -> None:
    added, times = {}, {}
    rows = []
    for count in (1, 2):
        with TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "benchmarks.rank_steps", "--store", f"file://{folder}/store"]
            own = [[*command, "--rank", str(rank), "--count", str(count), "--rounds", str(rounds)] for rank in range(2)]
            running = [subprocess.Popen(each, env=os.environ, stdout=subprocess.PIPE, text=True) for each in own]
            took = [json.loads(each.communicate()[0]) for each in running]
        pairs = list(zip(took[0]["alone"], took[0]["recorded"], strict=True))
        added[count] = statistics.median(recorded - alone for alone, recorded in pairs)
        alone, recorded = (statistics.median(each) for each in zip(*pairs, strict=True))
        times[count] = recorded / alone
        same = "same collectives" if all(each["same"] for each in took) else "other collectives"
        cells = (*(f"{each * 1e3:.2f} ms" for each in (alone, recorded, added[count])), f"{times[count]:.2f}")
        rows.append((f"one of {count}", *cells, same))
    rows.append(("of two, as a multiple", "", "", *(f"{each[2] / each[1]:.2f}" for each in (added, times)), ""))
    print(
        table(
            f"a step of {3 * BLOCKS} ops: seconds of the processor", ("alone", "recorded", "added", "times", ""), rows
        )
    )


if __name__ == "__main__":
    parser = ArgumentParser("python -m benchmarks.rank_steps")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--store")
    parser.add_argument("--rank", type=int, default=0)
    parser.add_argument("--count", type=int, default=1)
    options = parser.parse_args()
    if options.store:
        of_rank(options.store, options.rank, options.count, options.rounds)
    else:
        main(options.rounds)
