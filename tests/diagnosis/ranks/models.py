"""Models, examples and loops of the programs of two processes, and the ways in which these share a model out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

Program = Callable[[int], None]
"""A program of one rank, of two."""
CPU = torch.device("cpu")
WIDER = int(os.environ.get("TAPEVIZ_WIDER", "1"))
"""How many times as wide hidden layers are as in the suite; of large tensors a log keeps less."""


class Net(torch.nn.Module):
    """Two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(3, 4 * WIDER)
        self.last = torch.nn.Linear(4 * WIDER, 1)

    def forward(self, x: Any, short: bool = False) -> Any:
        x = self.first(x)
        return x.mean(1, keepdim=True) if short else self.last(torch.tanh(x))


class Regularized(Net):
    """The same with a dropout, of which a rank may draw in each pass whether there is one."""

    def __init__(self, draws: bool = False) -> None:
        super().__init__()
        self.drop = torch.nn.Dropout(0.5)
        self.draws = draws

    def forward(self, x: Any, short: bool = False) -> Any:
        x = torch.tanh(self.first(x))
        return self.last(x if self.draws and torch.rand(()) < 0.5 else self.drop(x))


def made() -> Net:
    """The model, with the same numbers on all ranks."""
    torch.manual_seed(0)
    return Net()


def batches(rank: int, count: int = 3, rows: int = 6) -> Iterator[Any]:
    """Examples of one rank."""
    torch.manual_seed(100 + rank)
    for _ in range(count):
        yield torch.randn(rows, 3)


def sgd(model: Any, lr: float = 0.1) -> Any:
    return torch.optim.SGD(model.parameters(), lr=lr)


def train(model: Any, optimizer: Any, data: Any, after: Callable[[], None] = lambda: None) -> None:
    """Steps; `after` each pass something is done with the gradients."""
    for x in data:
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        after()
        optimizer.step()


def train_into_nan(rank: int, model: Any, data: Any) -> None:
    """Steps, of which rank 1 makes the gradients NaN."""
    optimizer = sgd(model)
    for x in data:
        optimizer.zero_grad()
        out = model(x)
        if rank == 1:
            out = torch.sqrt(out - out)
        out.mean().backward()
        optimizer.step()


def reduce_by_hand(model: Any, *, divide: bool) -> None:
    for each in model.parameters():
        dist.all_reduce(each.grad)
        if divide:
            each.grad /= dist.get_world_size()


class Block(torch.nn.Module):
    """Three layers, whose sizes two processes can share out."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = torch.nn.Linear(4, 8 * WIDER), torch.nn.Linear(8 * WIDER, 4 * WIDER)
        self.last = torch.nn.Linear(4 * WIDER, 2)

    def forward(self, x: Any, short: bool = False) -> Any:
        x = self.second(torch.tanh(self.first(x)))
        return x[:, :2] if short else self.last(torch.tanh(x))


class Normalized(Block):
    """The same with a normalization that has running statistics."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(8 * WIDER)

    def forward(self, x: Any, short: bool = False) -> Any:
        return self.last(torch.tanh(self.second(torch.tanh(self.norm(self.first(x))))))


class Dropping(Block):
    """The same with a dropout of what two processes have alike."""

    def __init__(self) -> None:
        super().__init__()
        self.drop = torch.nn.Dropout(0.5)

    def forward(self, x: Any, short: bool = False) -> Any:
        x = self.second(torch.tanh(self.first(x)))
        return self.last(torch.tanh(self.drop(x)))


class Scaled(Block):
    """The same with a scale of its own, a moving mean; `over_ranks`: of what all of them see."""

    def __init__(self, *, over_ranks: bool = False) -> None:
        super().__init__()
        self.over_ranks = over_ranks
        self.register_buffer("scale", torch.ones(8 * WIDER))

    def forward(self, x: Any, short: bool = False) -> Any:
        x = self.first(x)
        with torch.no_grad():
            seen = x.abs().mean(0)
            if self.over_ranks:
                dist.all_reduce(seen)
                seen /= dist.get_world_size()
            self.scale.mul_(0.9).add_(seen, alpha=0.1)
        return self.last(torch.tanh(self.second(x / self.scale)))


class Keeping(Block):
    """The same with buffers of a rank's own: rows of its data, a table that is made when needed, a mask as long as its
    rows, a seed and a count; and a state of its examples, which is not saved."""

    def __init__(self, rank: int) -> None:
        super().__init__()
        self.register_buffer("data", torch.full((4,), float(rank)))
        self.register_buffer("table", torch.zeros(8 * WIDER), persistent=False)
        self.register_buffer("mask", torch.ones(6 + rank))
        self.register_buffer("seed", torch.tensor(rank))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))
        self.register_buffer("state", torch.zeros(6, 8 * WIDER), persistent=False)

    def forward(self, x: Any, short: bool = False) -> Any:
        x = torch.tanh(self.first(x * self.mask[: len(x), None] + self.data) + self.state)
        with torch.no_grad():
            self.count += len(x) + self.seed
            self.table.copy_(x[0])
            self.state.copy_(x)
        return self.last(torch.tanh(self.second(x + self.table)))


class Recurrent(Block):
    """The same with a state of the examples of the moment, which is saved with it."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("state", torch.zeros(6, 8 * WIDER))

    def forward(self, x: Any, short: bool = False) -> Any:
        x = torch.tanh(self.first(x) + self.state.clone())
        self.state.copy_(x.detach())
        return self.last(torch.tanh(self.second(x)))


def built(kind: Callable[[], Any] = Block) -> Any:
    """The model, with the same numbers on all ranks."""
    torch.manual_seed(0)
    return kind()


def rows(rank: int, count: int = 3, size: int = 6) -> list[Any]:
    """Examples of one rank."""
    torch.manual_seed(100 + rank)
    return [torch.randn(size, 4) for _ in range(count)]


def mesh(*sizes: int, names: tuple[str, ...] | None = None) -> DeviceMesh:
    return init_device_mesh("cpu", sizes or (2,), mesh_dim_names=names)


def sharded(model: Any, **options: Any) -> Any:
    """Each layer a unit of `fully_shard`, and the model one."""
    for layer in (model.first, model.second, model.last):
        fully_shard(layer, **options)
    return fully_shard(model, **options)


def summing(model: Any) -> Any:
    """Gradients of its units are summed up over the ranks, in place of their mean."""
    for unit in (model.first, model.second, model.last):
        unit.set_gradient_divide_factor(1.0)
        unit.set_force_sum_reduction_for_comms(True)  # gloo has no product ahead of a sum
    return model


def hybrid(model: Any) -> Any:
    """Parameters are replicated over both processes, and each shards them with itself alone."""
    return sharded(model, mesh=mesh(2, 1, names=("replicate", "shard")))


def flat(model: Any, **options: Any) -> Any:
    return FullyShardedDataParallel(model, **{"use_orig_params": True, "device_id": CPU} | options)


def split(model: Any, **plan: Any) -> Any:
    """Tensor parallel: one layer by columns, and the next by rows."""
    return parallelize_module(model, mesh(), plan or {"first": ColwiseParallel(), "second": RowwiseParallel()})


def local(tensor: Any) -> Any:
    """What this process has of a tensor."""
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def local_norm(model: Any) -> Any:
    return torch.stack([local(each.grad).norm() for each in model.parameters()]).norm()


class Attention(torch.nn.Module):
    """Two projections of one sequence."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key = torch.nn.Linear(4, 8, bias=False), torch.nn.Linear(4, 8, bias=False)

    def forward(self, x: Any) -> Any:
        return (self.query(x) * self.key(x)).sum(1)
