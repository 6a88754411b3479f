"""A program -> the same in several processes, joined by gloo on 127.0.0.1, and what each of them has printed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


def needs_gloo() -> None:
    """Skip what asks for it where this PyTorch has no gloo."""
    distributed = pytest.importorskip("torch.distributed")
    if not distributed.is_available() or not distributed.is_gloo_available():
        pytest.skip("no gloo in this PyTorch")


def together(module: str, *arguments: str, count: int = 2) -> list[str]:
    """Run a module of the tests in `count` processes at once; the stdout of each.

    It calls `join` with its first argument before anything else.
    """
    needs_gloo()
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", module, f"file://{folder}/store", *arguments]
        running = [
            subprocess.Popen(
                command,
                cwd=ROOT,
                env=os.environ | {"RANK": str(rank), "WORLD_SIZE": str(count), "OMP_NUM_THREADS": "1"},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for rank in range(count)
        ]
        try:
            told = [each.communicate(timeout=300) for each in running]
        finally:
            for each in running:
                each.kill()
    assert [each.returncode for each in running] == [0] * count, told
    return [out for out, _ in told]


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
