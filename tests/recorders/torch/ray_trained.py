"""A training of two workers of Ray Train, with a recording and without: each writes its log and what it found."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import ray
import torch
import torch.distributed as dist
from ray.train import RunConfig, ScalingConfig
from ray.train.torch import TorchConfig, TorchTrainer, prepare_model

import tapeviz as tv
from tapeviz.events.store.ranks import rank_file
from tests.recorders.torch.sharded import Net, held_against, local


def gradients_of(net: Any, rank: int) -> list[dict[str, Any]]:
    """Train as the library has it: it wraps the model."""
    model = prepare_model(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    torch.manual_seed(rank + 1)
    gradients = []
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(4, 8)).square().mean().backward()
        gradients.append({name: local(each.grad) for name, each in net.named_parameters()})
        optimizer.step()
    return gradients


def of_a_worker(options: dict[str, Any]) -> None:
    """What each worker does."""
    folder, rank = Path(options["folder"]), dist.get_rank()
    torch.manual_seed(0)
    alone = Net()
    torch.manual_seed(0)
    found = held_against(rank, alone, Net(), lambda net: gradients_of(net, rank))
    torch.manual_seed(0)
    with tv.record() as log:
        gradients_of(Net(), rank)
    tv.save(log, rank_file(folder, rank))
    (folder / f"found-{rank}.json").write_text(json.dumps(found))


def main(folder: str) -> None:
    """Train on this machine."""
    ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False)
    trainer = TorchTrainer(
        of_a_worker,
        train_loop_config={"folder": folder},
        scaling_config=ScalingConfig(num_workers=2),
        torch_config=TorchConfig(backend="gloo"),
        run_config=RunConfig(storage_path=f"{folder}/ray"),
    )
    Path(folder, "names.json").write_text(json.dumps([name for name, _ in Net().named_parameters()]))
    trainer.fit()
    ray.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
