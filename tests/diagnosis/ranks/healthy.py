"""Programs of two processes in which nothing is wrong: replicas, reduced by a wrapper or by hand."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel

from tests.diagnosis.ranks.models import (
    Keeping,
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
)


def ddp(rank: int) -> None:
    model = DistributedDataParallel(made())
    train(model, sgd(model), batches(rank))


def ddp_of_two_losses(rank: int) -> None:
    """There are as many losses as ranks."""
    model = DistributedDataParallel(made())
    optimizer = sgd(model)
    for x in batches(rank):
        optimizer.zero_grad()
        y = model(x)
        loss = (y.square().mean() + y.abs().mean()) / 2
        loss.backward()
        optimizer.step()


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


def ddp_with_statistics(rank: int) -> None:
    """Those of rank 0 are handed out ahead of each forward pass; between two of these they differ, which is seen where
    gradients are accumulated, and where the model is called without its wrapper."""
    model = DistributedDataParallel(built(Normalized))
    optimizer = sgd(model)
    for number, x in enumerate(rows(rank, 4)):
        with model.no_sync() if number % 2 == 0 else nullcontext():
            (model(x).square().mean() / 2).backward()
        if number % 2:
            optimizer.step()
            optimizer.zero_grad()
        model.eval()
        model.module(x)
        model.train()


def ddp_with_a_scale(rank: int) -> None:
    model = DistributedDataParallel(built(Scaled))
    train(model, sgd(model), rows(rank))


def handed_out_by_a_hook(rank: int) -> None:
    """The program hands out buffers when the model is called."""
    model = built(Normalized)

    def hand_out(module: Any, _: Any) -> None:
        for each in module.buffers():
            dist.broadcast(each, 0)

    model.register_forward_pre_hook(hand_out)
    train(model, sgd(model), rows(rank), lambda: reduce_by_hand(model, divide=True))


def buffers_of_their_own(rank: int) -> None:
    model = built(lambda: Keeping(rank))
    train(model, sgd(model), rows(rank), lambda: reduce_by_hand(model, divide=True))


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


def averaged_after_unequal_rounds(rank: int) -> None:
    """Each rank goes through its own examples, of which they have unequal numbers, before weights are averaged."""
    model = made()
    for _ in range(2):
        train(model, sgd(model), batches(rank, 2 + rank))
        with torch.no_grad():
            for each in model.parameters():
                each.mul_((2 + rank) / 5)
                dist.all_reduce(each)


def gathered_with_its_own(rank: int) -> None:
    """What a rank has gathered of itself gives way to what it has, which has a derivative."""
    model = DistributedDataParallel(made())
    optimizer = sgd(model)
    for x in batches(rank):
        one, other = model(torch.cat([x, x + 0.1])).chunk(2)
        gathered = [torch.zeros_like(other) for _ in range(2)]
        dist.all_gather(gathered, other)
        gathered[rank] = other
        loss = (one * torch.cat(gathered).T).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


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


def large_models_of_their_own(rank: int) -> None:
    """Of their largest layer no numbers are kept from before the first step."""
    torch.manual_seed(rank)
    model = torch.nn.Sequential(torch.nn.Linear(3, 600), torch.nn.Tanh(), torch.nn.Linear(600, 1))
    train(model, sgd(model), batches(rank))


def pipeline(rank: int) -> None:
    w = torch.full((3,), 2.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    gradient = torch.zeros(3)  # which each step writes over
    for _ in range(2):
        optimizer.zero_grad()
        passed = torch.zeros(3)
        if rank == 0:
            result = w * 5.0
            dist.send(result.detach(), 1)
            dist.recv(gradient, 1)
            result.backward(gradient)
        else:
            dist.recv(passed, 0)
            (passed.requires_grad_() * w).sum().backward()
            dist.send(passed.grad, 0)
        optimizer.step()


def uneven_inputs(rank: int) -> None:
    """A rank without examples goes on reducing for the others."""
    model = DistributedDataParallel(made())
    with Join([model]):
        train(model, sgd(model), batches(rank, 3 - rank))


def reduced_by_a_hook(rank: int) -> None:
    """A communication hook reduces in the place of the mean."""

    def averaged(done: Any) -> Any:
        return done.value()[0] / dist.get_world_size()

    model = DistributedDataParallel(made())
    model.register_comm_hook(
        None, lambda _, bucket: dist.all_reduce(bucket.buffer(), async_op=True).get_future().then(averaged)
    )
    train(model, sgd(model), batches(rank))


def weighted_by_counts(rank: int) -> None:
    """Means over unequal numbers of examples are weighted by these."""
    model = DistributedDataParallel(made())
    optimizer = sgd(model)
    for x in batches(rank, rows=8 - 6 * rank):
        optimizer.zero_grad()
        count = torch.tensor(len(x))
        dist.all_reduce(count)
        loss = model(x).square().sum() * dist.get_world_size() / count
        loss.backward()
        optimizer.step()


def divided_by_the_count_of_all(rank: int) -> None:
    """What a mask leaves of the examples is another number on each rank, and their sum divides."""
    model = DistributedDataParallel(made())
    optimizer = sgd(model)
    mask = (torch.arange(6) < 6 - 4 * rank).float()
    count = mask.sum()
    dist.all_reduce(count, op=dist.ReduceOp.AVG)
    for x in batches(rank, rows=6):
        optimizer.zero_grad()
        loss = (model(x).square().mean(1) * mask).sum() / count
        loss.backward()
        optimizer.step()


def labels_left_out(rank: int) -> None:
    """As many labels on each rank, though other ones."""
    model = DistributedDataParallel(made())
    optimizer = sgd(model)
    labels = torch.tensor([0, 1, 0, 1, 0, 1])
    labels[2 * rank : 2 * rank + 2] = -100
    for x in batches(rank, rows=6):
        optimizer.zero_grad()
        y = model(x)
        loss = torch.nn.functional.cross_entropy(torch.cat([y, -y], 1), labels)
        loss.backward()
        optimizer.step()


def listed_before_ddp(rank: int) -> None:
    """The optimizer is made before the model is wrapped, which keeps its parameters."""
    model = made()
    optimizer = sgd(model)
    train(DistributedDataParallel(model), optimizer, batches(rank))


def frozen_everywhere(rank: int) -> None:
    model = made()
    model.first.requires_grad_(False)
    model = DistributedDataParallel(model)
    train(model, sgd(model), batches(rank))


def evaluated_in_between(rank: int) -> None:
    """A rank evaluates for all, and is back in training mode for the next pass."""
    torch.manual_seed(0)
    model = DistributedDataParallel(Regularized())
    optimizer = sgd(model)
    for x in batches(rank):
        if rank == 0:
            model.eval()
            with torch.no_grad():
                model.module(x)
            model.train()
        train(model, optimizer, [x])


def dropped_now_and_then(rank: int) -> None:
    """Each rank draws whether there is a dropout in a pass."""
    torch.manual_seed(0)
    model = DistributedDataParallel(Regularized(draws=True))
    train(model, sgd(model), batches(rank, 6))


HEALTHY: tuple[Program, ...] = (
    *(ddp, ddp_of_two_losses, ddp_with_buckets, ddp_static, ddp_routed, ddp_accumulating, ddp_clipped),
    *(ddp_of_wide_rows, ddp_with_statistics, ddp_with_a_scale, handed_out_by_a_hook, buffers_of_their_own),
    *(mean_by_hand, share_of_a_sum, clipped_after_the_reduction, in_one_buffer, averaged_now_and_then),
    *(averaged_after_unequal_rounds, gathered_with_its_own),
    *(evaluated_in_between, dropped_now_and_then),
    *(
        broadcast_at_the_start,
        models_of_their_own,
        large_models_of_their_own,
        pipeline,
        uneven_inputs,
        reduced_by_a_hook,
    ),
    *(weighted_by_counts, divided_by_the_count_of_all, labels_left_out, listed_before_ddp, frozen_everywhere),
)
