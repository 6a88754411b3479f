"""Programs of two processes, faulty and healthy, each recorded on every rank into a folder of its name."""

from __future__ import annotations

import sys
from pathlib import Path

import torch.distributed as dist

import tapeviz as tv
from tapeviz.events.store.ranks import rank_file
from tests.diagnosis.ranks import faulty, faulty_shards, healthy, healthy_shards
from tests.processes import join

HEALTHY = (*healthy.HEALTHY, *healthy_shards.HEALTHY)
FAULTY = (*faulty.FAULTY, *faulty_shards.FAULTY)
FAILING = frozenset({"unused_on_all_ranks", "zero_unused", "ddp_unequal_steps", "fsdp_unequal_steps"})
"""Programs that end in an error, of PyTorch's or of waiting in vain, on some ranks."""


def main(store: str, folder: str) -> None:
    """Run all of them."""
    rank = join(store)
    for program in (*HEALTHY, *FAULTY):
        place = Path(folder) / program.__name__
        place.mkdir(exist_ok=True)
        try:
            with tv.record() as log:
                program(rank)
        except RuntimeError:
            if program.__name__ not in FAILING:
                raise
        tv.save(log, rank_file(place, rank))
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:])
