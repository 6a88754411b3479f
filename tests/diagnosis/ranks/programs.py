"""Programs of several processes, faulty and healthy, each recorded on every rank into a folder of its name.

A program is a function of the rank, of two. The comment of a faulty one begins with its number in the issue's list of
twenty faults, which `test_ranks.py` has with what is to be said of each.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import tapeviz as tv
from tapeviz.events.store.ranks import rank_file
from tests.processes import join

Program = Callable[[int], None]


class Net(torch.nn.Module):
    """Two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(3, 4)
        self.last = torch.nn.Linear(4, 1)

    def forward(self, x: Any, short: bool = False) -> Any:
        x = self.first(x)
        return x.mean(1, keepdim=True) if short else self.last(torch.tanh(x))


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


def reduce_by_hand(model: Any, *, divide: bool) -> None:
    for each in model.parameters():
        dist.all_reduce(each.grad)
        if divide:
            each.grad /= dist.get_world_size()


# ----- healthy -----


def ddp(rank: int) -> None:
    model = DistributedDataParallel(made())
    train(model, sgd(model), batches(rank))


def ddp_with_buckets(rank: int) -> None:
    model = DistributedDataParallel(made(), gradient_as_bucket_view=True)
    train(model, sgd(model), batches(rank))


def ddp_static(rank: int) -> None:
    model = DistributedDataParallel(made(), static_graph=True)
    train(model, sgd(model), batches(rank))


def ddp_routed(rank: int) -> None:
    """Each rank uses the last layer in some passes."""
    model = DistributedDataParallel(made(), find_unused_parameters=True)
    optimizer = sgd(model)
    for number, x in enumerate(batches(rank, 4)):
        optimizer.zero_grad()
        model(x, short=number % 2 == rank).square().mean().backward()
        optimizer.step()


def ddp_accumulating(rank: int) -> None:
    model = DistributedDataParallel(made())
    optimizer = sgd(model)
    for number, x in enumerate(batches(rank, 4)):
        with model.no_sync() if number % 2 == 0 else nullcontext():
            model(x).square().mean().backward()
        if number % 2:
            optimizer.step()
            optimizer.zero_grad()


def ddp_clipped(rank: int) -> None:
    model = DistributedDataParallel(made())
    train(model, sgd(model), batches(rank), lambda: torch.nn.utils.clip_grad_norm_(model.parameters(), 0.01) and None)


def ddp_of_wide_rows(rank: int) -> None:
    """The last batch is smaller on one rank."""
    model = DistributedDataParallel(made())
    train(model, sgd(model), [*batches(rank), torch.ones(3 - rank, 3)])


def mean_by_hand(rank: int) -> None:
    model = made()
    train(model, sgd(model), batches(rank), lambda: reduce_by_hand(model, divide=True))


def share_of_a_sum(rank: int) -> None:
    """The loss is divided by the number of ranks, and the gradients are summed up."""
    model = made()
    optimizer = sgd(model)
    for x in batches(rank):
        optimizer.zero_grad()
        loss = model(x).square().mean() / dist.get_world_size()
        loss.backward()
        reduce_by_hand(model, divide=False)
        optimizer.step()


def clipped_after_the_reduction(rank: int) -> None:
    model = made()

    def after() -> None:
        reduce_by_hand(model, divide=True)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.01)

    train(model, sgd(model), batches(rank), after)


def in_one_buffer(rank: int) -> None:
    """The gradients of all parameters are reduced in one flat buffer, and copied back."""
    model = made()

    def after() -> None:
        flat = torch.cat([each.grad.reshape(-1) for each in model.parameters()])
        dist.all_reduce(flat)
        flat /= dist.get_world_size()
        parts = flat.split([each.numel() for each in model.parameters()])
        for each, part in zip(model.parameters(), parts, strict=True):
            each.grad.copy_(part.reshape(each.shape))

    train(model, sgd(model), batches(rank), after)


def averaged_now_and_then(rank: int) -> None:
    """Each rank trains by itself, and the parameters are averaged after two steps."""
    model = made()
    for _ in range(2):
        train(model, sgd(model), batches(rank, 2))
        with torch.no_grad():
            for each in model.parameters():
                dist.all_reduce(each.data)
                each.data /= dist.get_world_size()


def broadcast_at_the_start(rank: int) -> None:
    torch.manual_seed(rank)
    model = Net()
    for each in model.parameters():
        dist.broadcast(each.data, 0)
    train(model, sgd(model), batches(rank), lambda: reduce_by_hand(model, divide=True))


def models_of_their_own(rank: int) -> None:
    """Each rank trains another model."""
    torch.manual_seed(rank)
    model = Net()
    train(model, sgd(model), batches(rank))


def pipeline(rank: int) -> None:
    w = torch.full((3,), 2.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        passed = torch.zeros(3)
        if rank == 0:
            result = w * 5.0
            dist.send(result.detach(), 1)
            dist.recv(passed, 1)
            result.backward(passed)
        else:
            dist.recv(passed, 0)
            (passed.requires_grad_() * w).sum().backward()
            dist.send(passed.grad, 0)
        optimizer.step()


HEALTHY = (
    *(ddp, ddp_with_buckets, ddp_static, ddp_routed, ddp_accumulating, ddp_clipped, ddp_of_wide_rows, mean_by_hand),
    *(share_of_a_sum, clipped_after_the_reduction, in_one_buffer, averaged_now_and_then, broadcast_at_the_start),
    *(models_of_their_own, pipeline),
)


# ----- faulty -----


def unused_on_one_rank(rank: int) -> None:
    """1."""
    model = DistributedDataParallel(made(), find_unused_parameters=True)
    optimizer = sgd(model)
    for x in batches(rank):
        optimizer.zero_grad()
        model(x, short=rank == 1).square().mean().backward()
        optimizer.step()


def nan_on_one_rank(rank: int) -> None:
    """3."""
    model = DistributedDataParallel(made())
    optimizer = sgd(model)
    for x in batches(rank, 2):
        optimizer.zero_grad()
        out = model(x)
        if rank == 1:
            out = torch.sqrt(out - out)
        out.mean().backward()
        optimizer.step()


def not_reduced(rank: int) -> None:
    """4."""
    model = made()
    train(model, sgd(model), batches(rank))


def not_reduced_by_its_module(rank: int) -> None:
    """4."""
    model = DistributedDataParallel(made())
    train(model.module, sgd(model), batches(rank))


def reduced_twice(rank: int) -> None:
    """4."""
    model = DistributedDataParallel(made())
    train(model, sgd(model), batches(rank), lambda: reduce_by_hand(model, divide=False))


def sum_for_mean(rank: int) -> None:
    """4."""
    model = made()
    train(model, sgd(model), batches(rank), lambda: reduce_by_hand(model, divide=False))


def divided_twice(rank: int) -> None:
    """4."""
    model = DistributedDataParallel(made())

    def after() -> None:
        reduce_by_hand(model, divide=True)
        for each in model.parameters():
            each.grad /= dist.get_world_size()

    train(model, sgd(model), batches(rank), after)


def drifting(rank: int) -> None:
    """5."""
    model = DistributedDataParallel(made())
    train(model, sgd(model, 0.1 if rank == 0 else 0.2), batches(rank))


def equal_data(rank: int) -> None:
    """7."""
    model = DistributedDataParallel(made())
    train(model, sgd(model), batches(0))


def unequal_seeds(rank: int) -> None:
    """6."""
    torch.manual_seed(rank)
    model = Net()
    train(model, sgd(model), batches(rank), lambda: reduce_by_hand(model, divide=True))


def unequal_steps(rank: int) -> None:
    """8."""
    model = made()
    optimizer = sgd(model)
    for number, x in enumerate(batches(rank, 3 - rank)):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        if number < 2:  # in the last pass it would wait for ever
            reduce_by_hand(model, divide=True)
        optimizer.step()


def unequal_counts(rank: int) -> None:
    """10."""
    model = DistributedDataParallel(made())
    train(model, sgd(model), batches(rank, rows=8 - 6 * rank))


def clipped_before_the_reduction(rank: int) -> None:
    """11."""
    model = made()

    def after() -> None:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.01)
        reduce_by_hand(model, divide=True)

    train(model, sgd(model), batches(rank), after)


def synchronised_in_each_pass(rank: int) -> None:
    """12."""
    model = DistributedDataParallel(made())
    optimizer = sgd(model)
    for number, x in enumerate(batches(rank, 4)):
        model(x).square().mean().backward()
        if number % 2:
            optimizer.step()
            optimizer.zero_grad()


def replaced_after_wrapping(rank: int) -> None:
    """13."""
    model = DistributedDataParallel(made(), find_unused_parameters=True)
    model.module.last = made().last
    train(model, sgd(model), batches(rank))


def frozen_on_one_rank(rank: int) -> None:
    """15."""
    model = DistributedDataParallel(made(), find_unused_parameters=True)
    if rank == 1:
        model.module.last.bias.requires_grad_(False)
    train(model, sgd(model), batches(rank))


FAULTY = (
    *(unused_on_one_rank, nan_on_one_rank, not_reduced, not_reduced_by_its_module, reduced_twice, sum_for_mean),
    *(divided_twice, drifting, equal_data, unequal_seeds, unequal_steps, unequal_counts),
    *(clipped_before_the_reduction, synchronised_in_each_pass, replaced_after_wrapping, frozen_on_one_rank),
)


def main(store: str, folder: str) -> None:
    """Run all of them."""
    rank = join(store)
    for program in (*HEALTHY, *FAULTY):
        place = Path(folder) / program.__name__
        place.mkdir(exist_ok=True)
        with tv.record() as log:
            program(rank)
        tv.save(log, rank_file(place, rank))
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:])
