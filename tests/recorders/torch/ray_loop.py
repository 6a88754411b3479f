"""A loop for workers of Ray Train, as a program has it that knows of no recording."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from ray.train.torch import prepare_model

from tests.recorders.torch.sharded import Net, local


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


def trained(options: dict[str, Any]) -> None:
    """What each worker does."""
    rank = dist.get_rank()
    torch.manual_seed(0)
    net = Net()
    gradients = gradients_of(net, rank)
    keep(Path(options["folder"], f"left-{rank}.npz"), net)
    np.savez(Path(options["folder"], f"grad-{rank}.npz"), **gradients[-1])


def keep(path: Path, net: Any) -> None:
    """What the parameters of a model are."""
    np.savez(path, **{name: local(each) for name, each in net.named_parameters()})
