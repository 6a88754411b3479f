"""Faulty programs of two processes that share a model out: FSDP, tensor parallel, ZeRO.

The comment of each begins with its number in the table of `faults.py`, which has what is to be said of it.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import ShardingStrategy, fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel
from torch.nn.parallel import DistributedDataParallel

from tests.diagnosis.ranks.models import (
    WIDER,
    Attention,
    Dropping,
    Normalized,
    Program,
    Scaled,
    built,
    flat,
    hybrid,
    local,
    local_norm,
    rows,
    sgd,
    sharded,
    split,
    summing,
    train,
    train_into_nan,
)


def zero_unused_on_one_rank(rank: int) -> None:
    """1."""
    model = DistributedDataParallel(built(), find_unused_parameters=True)
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.1)
    for x in rows(rank):
        optimizer.zero_grad()
        model(x, short=rank == 1).square().mean().backward()
        optimizer.step()


def zero_unused(rank: int) -> None:
    """2."""
    model = DistributedDataParallel(built())
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.1)
    for x in rows(rank):
        optimizer.zero_grad()
        model(x, short=True).square().mean().backward()
        optimizer.step()


def fsdp_nan_on_one_rank(rank: int) -> None:
    """3."""
    train_into_nan(rank, sharded(built()), rows(rank, 2))


def flat_fsdp_nan_on_one_rank(rank: int) -> None:
    """3."""
    train_into_nan(rank, flat(built()), rows(rank, 2))


def hybrid_not_reduced(rank: int) -> None:
    """4."""
    model = hybrid(built())
    model.set_requires_all_reduce(False)
    train(model, sgd(model), rows(rank))


def hybrid_reduced_twice(rank: int) -> None:
    """5."""
    model = hybrid(built())

    def after() -> None:
        for each in model.parameters():
            dist.all_reduce(local(each.grad))

    train(model, sgd(model), rows(rank), after)


def fsdp_sum_for_mean(rank: int) -> None:
    """6."""
    model = summing(sharded(built()))
    train(model, sgd(model), rows(rank))


def tensor_parallel_drifting(rank: int) -> None:
    """7."""
    model = split(built())
    train(model, sgd(model, 0.1 if rank == 0 else 0.2), rows(0))


def fsdp_statistics_apart(rank: int) -> None:
    """7."""
    model = sharded(built(Normalized))
    train(model, sgd(model), rows(rank))


def flat_fsdp_scale_apart(rank: int) -> None:
    """7."""
    model = flat(built(Scaled))
    train(model, sgd(model), rows(rank))


def tensor_parallel_unequal_data(rank: int) -> None:
    """8."""
    model = split(built())
    train(model, sgd(model), rows(rank))


def tensor_parallel_in_another_order(rank: int) -> None:
    """8."""
    model = split(built())
    first, *others = rows(0)
    train(model, sgd(model), [first, *others] if rank == 0 else [*others, first])


def tensor_parallel_unequal_draws(rank: int) -> None:
    """8."""
    last = ColwiseParallel(output_layouts=Replicate())
    model = split(built(Dropping), first=ColwiseParallel(), second=RowwiseParallel(), last=last)
    data = rows(0)
    torch.manual_seed(rank)
    train(model, sgd(model), data)


def tensor_parallel_unequal_state(rank: int) -> None:
    """8."""
    model = split(built(Dropping))
    data = rows(0)
    torch.manual_seed(rank)
    train(model, sgd(model), data)


def fsdp_equal_data(rank: int) -> None:
    """9."""
    model = built()
    model.last = torch.nn.Linear(4 * WIDER, 1)  # of whose parts one rank has none
    model = sharded(model)
    train(model, sgd(model), rows(0))


def flat_fsdp_replicated_equal_data(rank: int) -> None:
    """9."""
    model = flat(built(), sharding_strategy=ShardingStrategy.NO_SHARD)
    train(model, sgd(model), rows(0))


def flat_fsdp_replicated_drifting(rank: int) -> None:
    """7."""
    model = flat(built(), sharding_strategy=ShardingStrategy.NO_SHARD)
    train(model, sgd(model, 0.1 if rank == 0 else 0.2), rows(rank))


def fsdp_unequal_steps(rank: int) -> None:
    """10."""
    group: Any = dist.new_group(timeout=timedelta(seconds=1))
    model = sharded(built(), mesh=DeviceMesh.from_group(group, "cpu"))
    train(model, sgd(model), rows(rank, 3 - rank))


def fsdp_norm_of_a_shard(rank: int) -> None:
    """11."""
    model = sharded(built())
    train(model, sgd(model), rows(rank), lambda: local_norm(model).item() and None)


def tensor_parallel_norm_of_a_shard(rank: int) -> None:
    """11."""
    last = ColwiseParallel(output_layouts=Replicate())
    model = split(built(), first=ColwiseParallel(), second=RowwiseParallel(), last=last)
    train(model, sgd(model), rows(0), lambda: local_norm(model).item() and None)


def fsdp_clipped_by_a_shard(rank: int) -> None:
    """12."""
    model = sharded(built())

    def after() -> None:
        scale = torch.clamp(0.01 / local_norm(model), max=1.0)
        for each in model.parameters():
            local(each.grad).mul_(scale)

    train(model, sgd(model), rows(rank), after)


def flat_fsdp_clipped_by_a_shard(rank: int) -> None:
    """12."""
    model = flat(built())
    train(model, sgd(model), rows(rank), lambda: torch.nn.utils.clip_grad_norm_(model.parameters(), 0.01) and None)


def fsdp_unequal_counts(rank: int) -> None:
    """13."""
    model = sharded(built())
    train(model, sgd(model), rows(rank, size=8 - 6 * rank))


def fsdp_synchronised_in_each_pass(rank: int) -> None:
    """15."""
    model = sharded(built())
    optimizer = sgd(model)
    for number, x in enumerate(rows(rank, 4)):
        model(x).square().mean().backward()
        if number % 2:
            optimizer.step()
            optimizer.zero_grad()


def fsdp_replaced_after_wrapping(rank: int) -> None:
    """16."""
    model = sharded(built())
    model.last = built().last
    train(model, sgd(model), rows(rank))


def fsdp_optimizer_before_wrapping(rank: int) -> None:
    """17."""
    model = built()
    optimizer = sgd(model)
    sharded(model)
    train(model, optimizer, rows(rank))


def tensor_parallel_optimizer_before_wrapping(rank: int) -> None:
    """17."""
    model = built()
    optimizer = sgd(model)
    split(model)
    train(model, optimizer, rows(0))


def tensor_parallel_frozen_on_one_rank(rank: int) -> None:
    """18."""
    model = split(built())
    if rank == 1:
        model.first.bias.requires_grad_(False)
    train(model, sgd(model), rows(0))


def fsdp_of_some_layers(rank: int) -> None:
    """19."""
    model = built()
    fully_shard(model.first)
    fully_shard(model.second)
    train(model, sgd(model), rows(rank))


def flat_fsdp_of_some_layers(rank: int) -> None:
    """19."""
    model = built()
    model.first, model.second = flat(model.first), flat(model.second)
    train(model, sgd(model), rows(rank))


def tensor_parallel_gathered_and_split_again(rank: int) -> None:
    """20."""
    first, second = ColwiseParallel(output_layouts=Replicate()), RowwiseParallel(input_layouts=Replicate())
    model = split(built(), first=first, second=second)
    train(model, sgd(model), rows(0))


def sequence_gathered_twice(rank: int) -> None:
    """20."""
    torch.manual_seed(0)
    gathered = ColwiseParallel(input_layouts=Shard(0))
    model = split(Attention(), query=gathered, key=gathered)
    train(model, sgd(model), [each[rank * 3 : rank * 3 + 3] for each in rows(0)])


FAULTY: tuple[Program, ...] = (
    *(zero_unused_on_one_rank, zero_unused, fsdp_nan_on_one_rank, flat_fsdp_nan_on_one_rank),
    *(hybrid_not_reduced, hybrid_reduced_twice),
    *(fsdp_sum_for_mean, tensor_parallel_drifting, fsdp_statistics_apart, flat_fsdp_scale_apart),
    *(tensor_parallel_unequal_data, fsdp_equal_data, flat_fsdp_replicated_equal_data, flat_fsdp_replicated_drifting),
    *(tensor_parallel_in_another_order, tensor_parallel_unequal_draws, tensor_parallel_unequal_state),
    *(fsdp_unequal_steps, fsdp_norm_of_a_shard, tensor_parallel_norm_of_a_shard, fsdp_clipped_by_a_shard),
    *(flat_fsdp_clipped_by_a_shard, fsdp_unequal_counts, fsdp_synchronised_in_each_pass),
    *(fsdp_replaced_after_wrapping, fsdp_optimizer_before_wrapping, tensor_parallel_optimizer_before_wrapping),
    *(tensor_parallel_frozen_on_one_rank, fsdp_of_some_layers, flat_fsdp_of_some_layers),
    *(tensor_parallel_gathered_and_split_again, sequence_gathered_twice),
)
