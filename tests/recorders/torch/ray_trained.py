"""Trainings of two workers of Ray Train: one that records itself, and is compared with one that does not; one that
whoever runs this program may record."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import ray
import torch
import torch.distributed as dist
from ray.train import RunConfig, ScalingConfig
from ray.train.torch import TorchConfig, TorchTrainer

import tapeviz as tv
from tapeviz.events.store.ranks import rank_file
from tests.recorders.torch.ray_loop import gradients_of, keep, trained
from tests.recorders.torch.sharded import Net, held_against


def of_a_worker(options: dict[str, Any]) -> None:
    """What each worker does that records itself."""
    folder, rank = Path(options["folder"]), dist.get_rank()
    torch.manual_seed(0)
    alone = Net()
    torch.manual_seed(0)
    found = held_against(rank, alone, Net(), lambda net: gradients_of(net, rank))
    keep(folder / f"alone-{rank}.npz", alone)
    torch.manual_seed(0)
    with tv.record() as log:
        gradients_of(Net(), rank)
    tv.save(log, rank_file(folder, rank))
    (folder / f"found-{rank}.json").write_text(json.dumps(found))


def main(folder: str) -> None:
    """Train on this machine."""
    ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False)
    Path(folder, "names.json").write_text(json.dumps([name for name, _ in Net().named_parameters()]))
    for loop in (of_a_worker, trained):
        TorchTrainer(
            loop,
            train_loop_config={"folder": folder},
            scaling_config=ScalingConfig(num_workers=2),
            torch_config=TorchConfig(backend="gloo"),
            run_config=RunConfig(storage_path=f"{folder}/ray"),
        ).fit()
    ray.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
