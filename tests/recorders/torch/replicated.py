"""Trainings of a replicated model, each with a recording and without: what they differ in; `sharded` runs them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import fp16_compress_hook
from torch.nn.parallel import DistributedDataParallel

import tapeviz as tv
from tapeviz.events import BackwardFinished, BackwardStarted, GradientStored, OpSkipped

STEPS = 3


class Net(torch.nn.Module):
    """Two layers, of which a rank may leave the second out; one gradient is larger than what is copied as small."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(4, 300)
        self.second = torch.nn.Linear(300, 300)
        self.last = torch.nn.Linear(300, 1)

    def forward(self, x: Any, short: bool = False) -> Any:
        x = torch.tanh(self.first(x))
        return self.last(x if short else torch.tanh(self.second(x)))


def _hooked(model: Any) -> Any:
    wrapped = DistributedDataParallel(model)
    wrapped.register_comm_hook(None, fp16_compress_hook)
    return wrapped


KINDS: dict[str, Callable[[Any], Any]] = {
    "plain": DistributedDataParallel,
    "bucket view": lambda model: DistributedDataParallel(model, gradient_as_bucket_view=True),
    "static graph": lambda model: DistributedDataParallel(model, static_graph=True),
    "communication hook": _hooked,
    "no_sync": DistributedDataParallel,
    "unused on one rank": lambda model: DistributedDataParallel(model, find_unused_parameters=True),
}


def train(kind: str, rank: int) -> tuple[Any, list[dict[str, Any]]]:
    """The model, and the gradients of each step."""
    torch.manual_seed(0)
    model = Net()
    wrapped = KINDS[kind](model)
    optimizer = torch.optim.SGD(wrapped.parameters(), lr=0.1)
    torch.manual_seed(rank + 1)
    gradients = []
    for step in range(STEPS):
        alone = kind == "no_sync" and step % 2 == 0
        with wrapped.no_sync() if alone else nullcontext():
            loss = wrapped(torch.randn(5, 4), kind == "unused on one rank" and rank == 1).square().mean()
            loss.backward()
        with torch.no_grad():
            gradients.append({name: each.grad.numpy().copy() for name, each in model.named_parameters()})
        if not alone:
            optimizer.step()
            optimizer.zero_grad()
    return model, gradients


def collectives_of(run: Callable[[], Any]) -> tuple[Any, list[str]]:
    """What a run gives, and the collectives that it issued, in order."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True) as profile:
        found = run()
    every = profile.profiler.kineto_results.events()  # `profile.events()` makes a tree of them, which takes far longer
    issued = [each for each in every if each.name().startswith("c10d::")]  # gloo runs them in its own threads
    issued.sort(key=lambda each: each.start_ns())
    return found, [f"{each.name()} {each.shapes()}" for each in issued]


def compared(kind: str, rank: int) -> dict[str, Any]:
    """One training, with a recording and without."""
    (model, gradients), issued = collectives_of(lambda: train(kind, rank))
    with tv.record() as log:
        (again, recorded), issued_too = collectives_of(lambda: train(kind, rank))
    stored = log.of_kind(GradientStored).values()
    arrived = [dict(zip(names_of(log, each.run), each.gradients, strict=True)) for each in finished(log)]
    ops = list(log.of_kind(OpSkipped).values())
    reductions = [each for each in ops if each.op in ("dist.all_reduce", "fp16_compress_hook")]
    of_runs = [[each for each in stored if each.run == run.run] for run in finished(log)]
    by_step = [{log.tensors[each.tensor].name: each.gradient for each in of_run} for of_run in of_runs]
    return {
        "same": all(map(torch.equal, model.parameters(), again.parameters())) and same(gradients, recorded, 0.0),
        "collectives": [issued, issued_too],
        "names": sorted(by_step[0]) == sorted(dict(model.named_parameters())),
        "grad": same(gradients, [{name: log.value(each) for name, each in step.items()} for step in by_step], 1e-6),
        "apart": [step[name] != arrived[at].get(name) for at, step in enumerate(by_step) for name in step],
        "local": [[norm(log.value(each)) for each in step.values()] for step in arrived],
        "reductions": [[each.op, dict(each.attrs)] for each in reductions],
        "why": str(tv.why(log, "loss", "second.weight")),
    }


def pipelined(rank: int) -> list[Any]:
    """The collectives of a pipeline of two stages: forward a result is sent, and backward its gradient."""
    with tv.record() as log:
        w = torch.full((3,), 2.0, requires_grad=True)
        gradient = torch.zeros(3)
        if rank == 0:
            result = w * 5.0
            dist.send(result.detach(), 1)
            dist.recv(gradient, 1)
            result.backward(gradient)
        else:
            given = torch.zeros(3)
            dist.recv(given, 0)
            given.requires_grad_()
            (given * w).sum().backward()
            dist.send(given.grad, 0)
    return [*told(log), ["grad of w", w.grad.tolist()]]


def told(log: Any) -> list[Any]:
    """Each collective of a log: its name, its attributes, and what it gave."""
    ops = [each for each in log.of_kind(OpSkipped).values() if each.op.startswith("dist.")]
    return [[each.op, dict(each.attrs), [log.value(out).tolist() for out in each.outputs]] for each in ops]


def finished(log: Any) -> list[Any]:
    """The passes of a log."""
    return list(log.of_kind(BackwardFinished).values())


def names_of(log: Any, run: int) -> list[Any]:
    """The names of the sources of a pass."""
    started = next(each for each in log.of_kind(BackwardStarted).values() if each.run == run)
    return [log.tensors[each].name for each in started.sources]


def same(one: Any, other: Any, tolerance: float) -> bool:
    """Whether the gradients of all steps are the same; of one that is added to later, there may be statistics alone."""
    return all(
        np.allclose(norm(each[name]), too[name].norm, rtol=tolerance, atol=0.0)
        if hasattr(too[name], "norm")
        else np.allclose(each[name], too[name], rtol=tolerance, atol=1e-12)
        for each, too in zip(one, other, strict=True)
        for name in each
    )


def norm(value: Any) -> float:
    """The norm of a gradient."""
    return float(value.norm if hasattr(value, "norm") else np.linalg.norm(value))


def of_few_rows(rank: int) -> dict[str, Any]:
    """A training whose gradients are sparse, with a recording and without."""

    def run() -> Any:
        torch.manual_seed(0)
        table = DistributedDataParallel(torch.nn.Embedding(6, 3, sparse=True))
        optimizer = torch.optim.SGD(table.parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            table(torch.tensor([rank, 4])).square().mean().backward()
            optimizer.step()
        return table.module.weight

    alone = run()
    with tv.record() as log:
        again = run()
    grad = again.grad.to_dense().numpy()
    last = list(log.of_kind(GradientStored).values())[-1]
    sizes = [dict(each.attrs)["bytes"] for each in log.of_kind(OpSkipped).values() if each.op == "dist.all_reduce"]
    return {
        "same": torch.equal(alone, again),
        "grad": bool(np.allclose(log.value(last.gradient), grad)),
        "bytes": sizes,
    }


def outcomes(rank: int) -> dict[str, Any]:
    """What this process says of each kind of training, and of a pipeline."""
    return {kind: compared(kind, rank) for kind in KINDS} | {
        "pipeline": pipelined(rank),
        "few rows": of_few_rows(rank),
    }
