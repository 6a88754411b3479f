"""Trainings of two processes by trainers of libraries, each with a recording and without, printed as JSON."""

from __future__ import annotations

import json
import logging
import os
import sys
from typing import Any

import torch
import torch.distributed as dist

from tests.processes import join
from tests.recorders.torch.sharded import Net, held_against, local

CLIPPED = 0.05


def batches() -> Any:
    """Examples, of which the trainer gives each process its part."""
    torch.manual_seed(7)
    return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(16, 8)), batch_size=4)


def gradients_of(model: Any) -> dict[str, Any]:
    return {name: local(each.grad) for name, each in model.named_parameters() if each.grad is not None}


def with_accelerate(net: Any) -> list[dict[str, Any]]:
    from accelerate import Accelerator

    accelerator = Accelerator(cpu=True)
    model, optimizer, data = accelerator.prepare(net, torch.optim.SGD(net.parameters(), lr=0.1), batches())
    gradients = []
    for (x,) in data:
        optimizer.zero_grad()
        accelerator.backward(model(x).square().mean())
        accelerator.clip_grad_norm_(model.parameters(), CLIPPED)
        gradients.append(gradients_of(net))
        optimizer.step()
    return gradients


def with_fabric(net: Any) -> list[dict[str, Any]]:
    from lightning import Fabric

    fabric = Fabric(accelerator="cpu", devices=2, strategy="ddp")
    fabric.launch()
    model, optimizer = fabric.setup(net, torch.optim.SGD(net.parameters(), lr=0.1))
    gradients = []
    for (x,) in fabric.setup_dataloaders(batches()):
        optimizer.zero_grad()
        fabric.backward(model(x).square().mean())
        gradients.append(gradients_of(model))
        optimizer.step()
    return gradients


def with_lightning(net: Any) -> list[dict[str, Any]]:
    from lightning import LightningModule, Trainer

    gradients = []

    class Trained(LightningModule):  # type: ignore[misc]
        """The same model."""

        def __init__(self) -> None:
            super().__init__()
            self.net = net

        def training_step(self, batch: Any, _: int) -> Any:
            return self.net(batch[0]).square().mean()

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

        def on_before_optimizer_step(self, _: Any) -> None:
            gradients.append(gradients_of(self))

    quiet = dict.fromkeys(("logger", "enable_checkpointing", "enable_progress_bar", "enable_model_summary"), False)
    Trainer(accelerator="cpu", devices=2, strategy="ddp", max_epochs=1, **quiet).fit(Trained(), batches())
    return gradients


KINDS = {"accelerate": (with_accelerate,), "lightning": (with_lightning, with_fabric)}
"""The package -> trainings by it."""


def main(store: str, package: str) -> None:
    """Train by one package."""
    os.environ |= {"LOCAL_RANK": os.environ["RANK"], "LOCAL_WORLD_SIZE": "2", "TORCHELASTIC_RUN_ID": "test"}
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"}  # they look for these, and find the group made
    rank = join(store)
    for name in ("lightning", "lightning.pytorch", "lightning.fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)
    found = {}
    for run in KINDS[package]:
        torch.manual_seed(0)
        alone = Net()
        torch.manual_seed(0)
        found[run.__name__] = held_against(rank, alone, Net(), run)
    print(json.dumps(found))
    dist.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:])
