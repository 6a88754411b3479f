"""A program -> the same in several processes, joined by gloo on 127.0.0.1, and what each of them has printed."""

from __future__ import annotations

import atexit
import json
import os
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.forks import Forks

ROOT = Path(__file__).parents[1]
IMPORTED = (
    *("torch.distributed.fsdp", "torch.distributed.optim", "torch.distributed.pipelining"),
    *("torch.distributed.tensor.parallel", "torch._dynamo", "tapeviz.cli.run"),
)
"""What takes longest to import, the compiler included, which DistributedDataParallel looks for."""


def needs_gloo() -> None:
    """Skip what asks for it where this PyTorch has no gloo."""
    distributed = pytest.importorskip("torch.distributed")
    if not distributed.is_available() or not distributed.is_gloo_available():
        pytest.skip("no gloo in this PyTorch")


@cache
def distributed() -> Forks:
    """Forks of a process that has imported what trainings in several processes import, for as long as tests run."""
    needs_gloo()
    forks = Forks(*IMPORTED)
    atexit.register(forks.close)
    return forks


def together(module: str, *arguments: str, count: int = 2) -> list[str]:
    """Run a module of the tests in `count` processes at once; the stdout of each.

    It calls `join` with its first argument before anything else.
    """
    ranks = [{"RANK": str(rank), "WORLD_SIZE": str(count)} for rank in range(count)]
    forks = distributed()
    with TemporaryDirectory() as folder:
        done = forks.together(Path(folder), ranks, "-m", module, f"file://{folder}/store", *arguments)
    assert [each.returncode for each in done] == [0] * count, [each.stderr.decode() for each in done]
    return [each.stdout.decode() for each in done]


@cache
def trained(module: str) -> list[dict[str, Any]]:
    """What two processes say of each kind of training in a module of the tests, as the last line that they print."""
    return [json.loads(each.splitlines()[-1]) for each in together(module)]


def join(store: str) -> int:
    """Join the other processes; the rank of this one."""
    import torch.distributed as dist

    rank = int(os.environ["RANK"])
    dist.init_process_group("gloo", init_method=store, rank=rank, world_size=int(os.environ["WORLD_SIZE"]))
    return rank
