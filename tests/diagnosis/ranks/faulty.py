"""Faulty programs of two processes that have a replica of a model each, reduced by a wrapper or by hand.

The comment of each begins with its number in the table of `faults.py`, which has what is to be said of it.
"""

from __future__ import annotations

from contextlib import nullcontext
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import fp16_compress_hook
from torch.nn.parallel import DistributedDataParallel

from tests.diagnosis.ranks.models import (
    Net,
    Normalized,
    Program,
    Regularized,
    Scaled,
    batches,
    built,
    made,
    reduce_by_hand,
    rows,
    sgd,
    train,
    train_into_nan,
)


def unused_on_one_rank(rank: int) -> None:
    """1."""
    model = DistributedDataParallel(made(), find_unused_parameters=True)
    optimizer = sgd(model)
    for x in batches(rank):
        optimizer.zero_grad()
        model(x, short=rank == 1).square().mean().backward()
        optimizer.step()


def unused_on_all_ranks(rank: int) -> None:
    """2."""
    model = DistributedDataParallel(made())
    optimizer = sgd(model)
    for x in batches(rank):
        optimizer.zero_grad()
        model(x, short=True).square().mean().backward()
        optimizer.step()


def nan_on_one_rank(rank: int) -> None:
    """3."""
    train_into_nan(rank, DistributedDataParallel(made()), batches(rank, 2))


def not_reduced(rank: int) -> None:
    """4."""
    model = made()
    train(model, sgd(model), batches(rank))


def not_reduced_by_its_module(rank: int) -> None:
    """4."""
    model = DistributedDataParallel(made())
    train(model.module, sgd(model), batches(rank))


def reduced_twice(rank: int) -> None:
    """5."""
    model = DistributedDataParallel(made())
    train(model, sgd(model), batches(rank), lambda: reduce_by_hand(model, divide=False))


def sum_for_mean(rank: int) -> None:
    """6."""
    model = made()
    train(model, sgd(model), batches(rank), lambda: reduce_by_hand(model, divide=False))


def divided_twice(rank: int) -> None:
    """5."""
    model = DistributedDataParallel(made())

    def after() -> None:
        reduce_by_hand(model, divide=True)
        for each in model.parameters():
            each.grad /= dist.get_world_size()

    train(model, sgd(model), batches(rank), after)


def share_of_a_mean(rank: int) -> None:
    """5."""
    model = DistributedDataParallel(made())
    optimizer = sgd(model)
    for x in batches(rank):
        optimizer.zero_grad()
        loss = model(x).square().mean() / dist.get_world_size()
        loss.backward()
        optimizer.step()


def drifting(rank: int) -> None:
    """7."""
    model = DistributedDataParallel(made())
    train(model, sgd(model, 0.1 if rank == 0 else 0.2), batches(rank))


def written_on_one_rank(rank: int) -> None:
    """7."""
    model = DistributedDataParallel(made())
    optimizer = sgd(model)
    for number, x in enumerate(batches(rank)):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        if number == rank == 1:
            with torch.no_grad():
                model.module.first.bias.zero_()


def statistics_apart(rank: int) -> None:
    """7."""
    model = built(Normalized)
    train(model, sgd(model), rows(rank), lambda: reduce_by_hand(model, divide=True))


def scale_apart(rank: int) -> None:
    """7."""
    model = DistributedDataParallel(built(Scaled), broadcast_buffers=False)
    train(model, sgd(model), rows(rank))


def equal_data(rank: int) -> None:
    """9."""
    model = DistributedDataParallel(made())
    train(model, sgd(model), batches(0))


def unequal_seeds(rank: int) -> None:
    """8."""
    torch.manual_seed(rank)
    model = Net()
    train(model, sgd(model), batches(rank), lambda: reduce_by_hand(model, divide=True))


def reset_after_wrapping(rank: int) -> None:
    """8."""
    model = DistributedDataParallel(made())
    torch.manual_seed(rank)
    model.module.last.reset_parameters()
    train(model, sgd(model), batches(rank))


def ddp_unequal_steps(rank: int) -> None:
    """10."""
    model = DistributedDataParallel(made(), process_group=dist.new_group(timeout=timedelta(seconds=1)))
    train(model, sgd(model), batches(rank, 3 - rank))


def unequal_steps(rank: int) -> None:
    """10."""
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
    """13."""
    model = DistributedDataParallel(made())
    train(model, sgd(model), batches(rank, rows=8 - 6 * rank))


def unequal_numbers_of_labels(rank: int) -> None:
    """13."""
    model = DistributedDataParallel(made())
    optimizer = sgd(model)
    labels = torch.tensor([0, 1, 0, 1, 0, 1])
    labels[6 - 4 * rank :] = -100
    for x in batches(rank, rows=6):
        optimizer.zero_grad()
        y = model(x)
        loss = torch.nn.functional.cross_entropy(torch.cat([y, -y], 1), labels)
        loss.backward()
        optimizer.step()


def divided_by_its_own_count(rank: int) -> None:
    """13."""
    model = DistributedDataParallel(made())
    optimizer = sgd(model)
    mask = (torch.arange(6) < 6 - 4 * rank).float()
    for x in batches(rank, rows=6):
        optimizer.zero_grad()
        loss = (model(x).square().mean(1) * mask).sum() / mask.sum()
        loss.backward()
        optimizer.step()


def clipped_before_the_reduction(rank: int) -> None:
    """14."""
    model = made()

    def after() -> None:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.01)
        reduce_by_hand(model, divide=True)

    train(model, sgd(model), batches(rank), after)


def clipped_while_accumulating(rank: int) -> None:
    """14."""
    model = DistributedDataParallel(made())
    optimizer = sgd(model)
    for number, x in enumerate(batches(rank, 4)):
        with model.no_sync() if number % 2 == 0 else nullcontext():
            model(x).square().mean().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.01)
        if number % 2:
            optimizer.step()
            optimizer.zero_grad()


def synchronised_in_each_pass(rank: int) -> None:
    """15."""
    model = DistributedDataParallel(made())
    optimizer = sgd(model)
    for number, x in enumerate(batches(rank, 4)):
        model(x).square().mean().backward()
        if number % 2:
            optimizer.step()
            optimizer.zero_grad()


def replaced_after_wrapping(rank: int) -> None:
    """16."""
    model = DistributedDataParallel(made(), find_unused_parameters=True)
    model.module.last = made().last
    train(model, sgd(model), batches(rank))


def frozen_on_one_rank(rank: int) -> None:
    """18."""
    model = DistributedDataParallel(made(), find_unused_parameters=True)
    if rank == 1:
        model.module.last.bias.requires_grad_(False)
    train(model, sgd(model), batches(rank))


def stepped_on_one_rank(rank: int) -> None:
    """7. A rank leaves out steps by what it alone knows."""
    model = DistributedDataParallel(made())
    optimizer = sgd(model)
    for x in batches(rank):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        if rank == 0:
            optimizer.step()


def evaluated_on_one_rank(rank: int) -> None:
    """8. A rank does not go back to training."""
    torch.manual_seed(0)
    model = DistributedDataParallel(Regularized())
    optimizer = sgd(model)
    for number, x in enumerate(batches(rank)):
        if number == 1 and rank == 0:
            model.eval()
        train(model, optimizer, [x])


def reduced_after_the_step(rank: int) -> None:
    """4."""
    model = made()
    optimizer = sgd(model)
    for x in batches(rank):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
        reduce_by_hand(model, divide=True)


def sum_in_one_buffer(rank: int) -> None:
    """6."""
    model = made()

    def after() -> None:
        flat = torch.cat([each.grad.reshape(-1) for each in model.parameters()])
        dist.all_reduce(flat)
        parts = flat.split([each.numel() for each in model.parameters()])
        for each, part in zip(model.parameters(), parts, strict=True):
            each.grad.copy_(part.reshape(each.shape))

    train(model, sgd(model), batches(rank), after)


def scaled_before_the_reduction(rank: int) -> None:
    """14."""
    model = made()

    def after() -> None:
        size = sum(each.grad.pow(2).sum() for each in model.parameters()) ** 0.5
        for each in model.parameters():
            each.grad.mul_(0.01 / size)
        reduce_by_hand(model, divide=True)

    train(model, sgd(model), batches(rank), after)


def overflowing_hook(rank: int) -> None:
    """3. Half precision is too narrow for the gradients, which are sound on each rank."""
    model = DistributedDataParallel(made())
    model.register_comm_hook(None, fp16_compress_hook)
    optimizer = sgd(model, 1e-9)
    for x in batches(rank, 2):
        optimizer.zero_grad()
        (model(x) - 1e6).square().mean().backward()
        optimizer.step()


def gathered_without_derivative(rank: int) -> None:
    """0. Beside the table: of the second view only what other paths bring comes back."""
    model = DistributedDataParallel(made())
    optimizer = sgd(model)
    for x in batches(rank):
        one, other = model(torch.cat([x, x + 0.1])).chunk(2)
        gathered = [torch.zeros_like(other) for _ in range(2)]
        dist.all_gather(gathered, other)
        loss = (one * torch.cat(gathered).T).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


FAULTY: tuple[Program, ...] = (
    *(unused_on_one_rank, unused_on_all_ranks, nan_on_one_rank, not_reduced, not_reduced_by_its_module),
    *(reduced_twice, sum_for_mean, divided_twice, share_of_a_mean, drifting, written_on_one_rank),
    *(statistics_apart, scale_apart, equal_data, unequal_seeds, reset_after_wrapping, ddp_unequal_steps),
    *(unequal_steps, unequal_counts, unequal_numbers_of_labels, divided_by_its_own_count),
    *(clipped_before_the_reduction, clipped_while_accumulating, synchronised_in_each_pass),
    *(replaced_after_wrapping, frozen_on_one_rank, stepped_on_one_rank, reduced_after_the_step),
    *(evaluated_on_one_rank, sum_in_one_buffer, scaled_before_the_reduction, overflowing_hook),
    gathered_without_derivative,
)
