"""Programs of two processes that share a model out, in which nothing is wrong: FSDP, tensors, ZeRO, pipelines."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.fsdp import MixedPrecisionPolicy, ShardingStrategy, fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import ColwiseParallel, PrepareModuleInput, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

from tests.diagnosis.ranks.models import (
    CPU,
    WIDER,
    Attention,
    Dropping,
    Keeping,
    Normalized,
    Program,
    Recurrent,
    Scaled,
    built,
    flat,
    hybrid,
    local,
    local_norm,
    mesh,
    rows,
    sgd,
    sharded,
    split,
    summing,
    train,
)


def fsdp(rank: int) -> None:
    model = sharded(built())
    train(model, sgd(model), rows(rank))


def fsdp_as_one_unit(rank: int) -> None:
    model = fully_shard(built())
    train(model, sgd(model), rows(rank))


def fsdp_averaged_statistics(rank: int) -> None:
    """Running statistics are averaged after each step."""
    model = sharded(built(Normalized))
    optimizer = sgd(model)
    for x in rows(rank):
        train(model, optimizer, [x])
        for each in (model.norm.running_mean, model.norm.running_var):
            dist.all_reduce(each)
            each /= dist.get_world_size()


def fsdp_scale_over_ranks(rank: int) -> None:
    model = sharded(built(lambda: Scaled(over_ranks=True)))
    train(model, sgd(model), rows(rank))


def fsdp_buffers_of_their_own(rank: int) -> None:
    model = sharded(built(lambda: Keeping(rank)))
    train(model, sgd(model), rows(rank))


def fsdp_recurrent(rank: int) -> None:
    model = sharded(built(Recurrent))
    train(model, sgd(model), rows(rank))


def fsdp_in_half_precision(rank: int) -> None:
    model = sharded(built(), mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32))
    train(model, sgd(model), rows(rank))


def fsdp_clipped(rank: int) -> None:
    model = sharded(built())
    train(model, sgd(model), rows(rank), lambda: torch.nn.utils.clip_grad_norm_(model.parameters(), 0.01) and None)


def fsdp_norm_over_ranks(rank: int) -> None:
    """The squares of the norms of parts are added up over the ranks."""
    model = sharded(built())

    def after() -> None:
        square = local_norm(model) ** 2
        dist.all_reduce(square)
        scale = torch.clamp(0.01 / square.sqrt(), max=1.0)
        for each in model.parameters():
            local(each.grad).mul_(scale)

    train(model, sgd(model), rows(rank), after)


def fsdp_accumulating(rank: int) -> None:
    model = sharded(built())
    optimizer = sgd(model)
    for number, x in enumerate(rows(rank, 4)):
        model.set_requires_gradient_sync(bool(number % 2))
        model(x).square().mean().backward()
        if number % 2:
            optimizer.step()
            optimizer.zero_grad()


def fsdp_share_of_a_sum(rank: int) -> None:
    """Gradients are summed up, and each loss is a share of the mean."""
    model = summing(sharded(built()))
    optimizer = sgd(model)
    for x in rows(rank):
        optimizer.zero_grad()
        loss = model(x).square().mean() / dist.get_world_size()
        loss.backward()
        optimizer.step()


def fsdp_frozen_everywhere(rank: int) -> None:
    model = built()
    model.first.requires_grad_(False)
    sharded(model)
    train(model, sgd(model), rows(rank))


def hybrid_fsdp(rank: int) -> None:
    model = hybrid(built())
    train(model, sgd(model), rows(rank))


def flat_fsdp(rank: int) -> None:
    model = flat(built())
    train(model, sgd(model), rows(rank))


def flat_fsdp_replicated(rank: int) -> None:
    model = flat(built(), sharding_strategy=ShardingStrategy.NO_SHARD)
    train(model, sgd(model), rows(rank))


def flat_fsdp_replicated_as_one(rank: int) -> None:
    """Only one parameter is the program's."""
    model = flat(built(), sharding_strategy=ShardingStrategy.NO_SHARD, use_orig_params=False)
    train(model, sgd(model), rows(rank))


def flat_fsdp_clipped(rank: int) -> None:
    model = flat(built())
    train(model, sgd(model), rows(rank), lambda: model.clip_grad_norm_(0.01) and None)


def flat_fsdp_accumulating(rank: int) -> None:
    model = flat(built())
    optimizer = sgd(model)
    for first, second in zip(rows(rank), rows(rank + 2), strict=True):
        optimizer.zero_grad()
        with model.no_sync():
            model(first).square().mean().backward()
        model(second).square().mean().backward()
        optimizer.step()


def tensor_parallel(rank: int) -> None:
    model = split(built())
    train(model, sgd(model), rows(0))


def tensor_parallel_throughout(rank: int) -> None:
    """Every layer is in the plan, and the norm is one over all processes."""
    last = ColwiseParallel(output_layouts=Replicate())
    model = split(built(), first=ColwiseParallel(), second=RowwiseParallel(), last=last)
    train(model, sgd(model), rows(0), lambda: torch.nn.utils.clip_grad_norm_(model.parameters(), 0.01) and None)


def tensor_parallel_dropping(rank: int) -> None:
    """All processes draw the same."""
    last = ColwiseParallel(output_layouts=Replicate())
    model = split(built(Dropping), first=ColwiseParallel(), second=RowwiseParallel(), last=last)
    train(model, sgd(model), rows(0))


def sequence_parallel(rank: int) -> None:
    last = ColwiseParallel(input_layouts=Shard(0), output_layouts=Replicate())
    second = RowwiseParallel(output_layouts=Shard(0))
    model = split(built(), first=ColwiseParallel(), second=second, last=last)
    train(model, sgd(model), rows(0))


def sequence_gathered_once(rank: int) -> None:
    """What two layers read is gathered ahead of both."""
    torch.manual_seed(0)
    gathered = PrepareModuleInput(input_layouts=Shard(0), desired_input_layouts=Replicate())
    model = split(Attention(), **{"": gathered, "query": ColwiseParallel(), "key": ColwiseParallel()})
    train(model, sgd(model), [each[rank * 3 : rank * 3 + 3] for each in rows(0)])


def zero(rank: int) -> None:
    model = DistributedDataParallel(built())
    train(model, ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.1), rows(rank))


def zero_clipped(rank: int) -> None:
    model = DistributedDataParallel(built())
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, lr=0.01)
    train(model, optimizer, rows(rank), lambda: torch.nn.utils.clip_grad_norm_(model.parameters(), 0.01) and None)


def tensor_parallel_in_a_mesh(rank: int) -> None:
    """The processes of a tensor-parallel group see the same data, and here each is a group by itself."""
    both = mesh(2, 1, names=("data", "tensor"))
    model = parallelize_module(built(), both["tensor"], {"first": ColwiseParallel(), "second": RowwiseParallel()})
    model = fully_shard(model, mesh=both["data"])
    train(model, torch.optim.SGD(model.parameters(), lr=0.1, foreach=False), rows(rank))


def _in_stages(rank: int, schedule: Any) -> None:
    model = built()
    part: Any = torch.nn.Sequential(model.first, torch.nn.Tanh()) if rank == 0 else model.second
    stage = PipelineStage(part, rank, 2, CPU)
    run = schedule(stage, 3, loss_fn=lambda out, target: (out - target).square().mean())
    optimizer = sgd(part)
    for x in rows(0):
        optimizer.zero_grad()
        if rank == 0:
            run.step(x)
        else:
            run.step(target=torch.ones(6, 4 * WIDER))
        optimizer.step()


def gpipe(rank: int) -> None:
    _in_stages(rank, ScheduleGPipe)


def one_forward_one_backward(rank: int) -> None:
    _in_stages(rank, Schedule1F1B)


HEALTHY: tuple[Program, ...] = (
    *(fsdp, fsdp_as_one_unit, fsdp_in_half_precision, fsdp_clipped, fsdp_norm_over_ranks, fsdp_accumulating),
    *(fsdp_averaged_statistics, fsdp_scale_over_ranks, fsdp_buffers_of_their_own, fsdp_recurrent),
    *(fsdp_share_of_a_sum, fsdp_frozen_everywhere, hybrid_fsdp, flat_fsdp, flat_fsdp_clipped),
    *(flat_fsdp_replicated, flat_fsdp_replicated_as_one),
    *(flat_fsdp_accumulating, tensor_parallel, tensor_parallel_dropping, tensor_parallel_throughout, sequence_parallel),
    *(sequence_gathered_once, tensor_parallel_in_a_mesh, zero, zero_clipped, gpipe, one_forward_one_backward),
)
