"""Trainings whose parameters are shared out over processes, each with a recording and without, printed as JSON.

Those of replicas come first: two processes are started for all.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecisionPolicy, ShardingStrategy, fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe
from torch.distributed.tensor import Shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

import tapeviz as tv
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.events import BuffersMeasured, OpRecorded, OpSkipped
from tests.processes import join
from tests.recorders.torch import replicated
from tests.recorders.torch.replicated import collectives_of

STEPS = 2
CPU = torch.device("cpu")
WHOLE: dict[str, Any] = {"sharding_strategy": ShardingStrategy.NO_SHARD}
HALF = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)


class Net(torch.nn.Module):
    """Three layers."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.last = torch.nn.Linear(8, 16), torch.nn.Linear(16, 16), torch.nn.Linear(16, 4)

    def forward(self, x: Any) -> Any:
        return self.last(torch.tanh(self.second(torch.tanh(self.first(x)))))


def _by_layer(model: Any, **options: Any) -> Any:
    for layer in (model.first, model.second, model.last):
        fully_shard(layer, **options)
    return fully_shard(model, **options)


def _with_statistics(model: Any) -> Any:
    """One layer is followed by a normalization, and the model has a buffer that no process shares."""
    model.second = torch.nn.Sequential(model.second, torch.nn.BatchNorm1d(16))
    model.register_buffer("cache", torch.zeros(2), persistent=False)
    return model


def _flat(model: Any, *, use_orig_params: bool = True, **options: Any) -> Any:
    return FullyShardedDataParallel(model, use_orig_params=use_orig_params, device_id=CPU, **options)


def _tensor_parallel(model: Any, **more: Any) -> Any:
    plan = {"first": ColwiseParallel(), "second": RowwiseParallel(**more)}
    if more:
        plan["last"] = ColwiseParallel(input_layouts=Shard(0))
    return parallelize_module(model, init_device_mesh("cpu", (2,)), plan)


def _hybrid(model: Any) -> Any:
    """Both processes have all parts, as replicas."""
    return _by_layer(model, mesh=init_device_mesh("cpu", (2, 1), mesh_dim_names=("replicate", "shard")))


def _stage(model: Any) -> Any:
    """The layers of this process, of a model whose layers are shared out."""
    first = dist.get_rank() == 0
    return torch.nn.Sequential(model.first, torch.nn.Tanh()) if first else torch.nn.Sequential(model.second, model.last)


KINDS: dict[str, Callable[[Any], Any]] = {
    "fully_shard": _by_layer,
    "fully_shard in half precision": lambda model: _by_layer(model, mp_policy=HALF),
    "fully_shard, accumulating": _by_layer,
    "fully_shard, with statistics": lambda model: _by_layer(_with_statistics(model)),
    "FSDP": _flat,
    "FSDP, one flat parameter": lambda model: _flat(model, use_orig_params=False),
    "FSDP, accumulating": _flat,
    "FSDP, replicated": lambda model: _flat(model, **WHOLE),
    "FSDP, replicated, one flat parameter": lambda model: _flat(model, use_orig_params=False, **WHOLE),
    "FSDP, replicated, accumulating": lambda model: _flat(model, **WHOLE),
    "tensor parallel": _tensor_parallel,
    "sequence parallel": lambda model: _tensor_parallel(model, output_layouts=Shard(0)),
    "fully_shard, replicated": _hybrid,
    "ZeRO": DistributedDataParallel,
    "pipeline, GPipe": _stage,
    "pipeline, 1F1B": _stage,
}


def built(kind: str) -> Any:
    """The model, wrapped."""
    torch.manual_seed(0)
    return KINDS[kind](Net())


def unsynchronised(model: Any) -> AbstractContextManager[Any]:
    """A block whose gradients stay in this process."""
    if isinstance(model, FullyShardedDataParallel):
        return model.no_sync()
    model.set_requires_gradient_sync(False)
    return nullcontext()


def optimizer_of(kind: str, model: Any) -> Any:
    if kind == "ZeRO":
        return ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.1)
    return torch.optim.SGD(model.parameters(), lr=0.1)


def in_stages(kind: str, rank: int, model: Any) -> Callable[[Any], None]:
    """A step of a pipeline, over four parts of a batch; the last stage knows what is to come of it."""
    schedule = ScheduleGPipe if "GPipe" in kind else Schedule1F1B
    run = schedule(PipelineStage(model, rank, 2, CPU), 4, loss_fn=lambda out, target: (out - target).square().mean())
    return (lambda x: run.step(x)) if rank == 0 else (lambda x: run.step(target=torch.ones(4, 4)))


def train(kind: str, rank: int, model: Any) -> list[dict[str, Any]]:
    """The gradients of each step, as far as this process has them."""
    optimizer = optimizer_of(kind, model)
    step = in_stages(kind, rank, model) if "pipeline" in kind else lambda x: model(x).square().mean().backward()
    torch.manual_seed(0 if "parallel" in kind or "pipeline" in kind else rank)
    gradients = []
    for _ in range(STEPS):
        if "accumulating" in kind:
            with unsynchronised(model):
                model(torch.randn(4, 8)).square().mean().backward()
            if not isinstance(model, FullyShardedDataParallel):
                model.set_requires_gradient_sync(True)
        step(torch.randn(4, 8))
        gradients.append({name: local(each.grad) for name, each in model.named_parameters() if each.grad is not None})
        optimizer.step()
        optimizer.zero_grad()
    return gradients


def local(tensor: Any) -> Any:
    """What this process has of a tensor."""
    own = tensor.detach()
    return (own.to_local() if hasattr(own, "to_local") else own).clone().numpy()


def compared(kind: str, rank: int) -> dict[str, Any]:
    """One training, with a recording and without."""
    with tv.record() as bare:
        Net()
    with tv.record() as wrapping:
        recorded = built(kind)
    found = held_against(rank, built(kind), recorded, lambda model: train(kind, rank, model))
    if isinstance(recorded, FullyShardedDataParallel):
        found |= {"from the start": from_the_start(kind)}
    return found | {"wrapping": [each for each in ops(wrapping) if each not in ops(bare)]}


def from_the_start(kind: str) -> dict[str, Any]:
    """What is said of a program that is recorded from its first line on, has a frozen parameter, and asks its model
    twice ahead of a pass; by which ops its parameters are whole, and which of them have no part here."""
    with tv.record() as log:
        model = built(kind)
        if "one flat" not in kind:
            model.second.weight.requires_grad_(False)
        x = torch.ones(4, 8)
        loss = model(x).square().mean() + model(2.0 * x).square().mean()
        loss.backward()
    parameters = {plain(name): each for name, each in model.named_parameters()}
    gathers = [each for each in log.of_kind(OpRecorded).values() if each.op == "fsdp.all_gather"]
    return {
        "told": str(tv.diagnose(log)),
        "ops": ops(log),
        "scopes": [each.name for each in log.scopes],
        "gathers": [[[log.tensors[i].name for i in ids] for ids in (each.inputs, each.outputs)] for each in gathers],
        "unknown": [each.id for each in log.tensors if each.dtype == "unknown"],
        "shapes": [log.tensors[log.id_of(each)].shape == tuple(each.shape) for each in parameters.values()],
        "grad": [
            np.allclose(log.gradient(each), local(each.grad)) for each in parameters.values() if each.grad is not None
        ],
        "elsewhere": {name: str(tv.why(log, loss, each)) for name, each in parameters.items() if not each.numel()},
    }


def ops(log: tv.EventLog) -> list[str]:
    """The ops of a log, each once."""
    return list(dict.fromkeys(each.op for each in log.of_kind(OpRecorded, OpSkipped).values()))


def held_against(rank: int, alone: Any, recorded: Any, run: Callable[[Any], list[dict[str, Any]]]) -> dict[str, Any]:
    """What is the same of a training of two like models, one without a recording, and of its gradients in the log."""
    gradients, issued = collectives_of(lambda: run(alone))
    with tv.record() as log:
        again, issued_too = collectives_of(lambda: run(recorded))
    left = RankLog(rank, log).passes[-1]
    stored = {name: log.value(versions[-1].tensor) for name, versions in left.versions.items()}
    return {
        "same": all(np.array_equal(*map(local, pair)) for pair in zip(held(alone), held(recorded), strict=True))
        and all(
            np.array_equal(one[name], other[name]) for one, other in zip(gradients, again, strict=True) for name in one
        ),
        "collectives": [issued, issued_too],
        "grad": [np.allclose(stored[plain(name)], each, rtol=1e-6) for name, each in again[-1].items()],
        "told": str(tv.diagnose(log)),
        "ops": ops(log),
        "buffers": [each.names for each in log.of_kind(BuffersMeasured).values()],
        "norms": [log.value(each.norms).tolist() for each in log.of_kind(BuffersMeasured).values()],
    }


def held(model: Any) -> list[Any]:
    """The parameters and the buffers."""
    return [*model.parameters(), *model.buffers()]


def plain(name: str) -> str:
    """The name of a parameter without what a wrapper puts before it."""
    return name.replace("_fsdp_wrapped_module.", "").removeprefix("module.")


if __name__ == "__main__":
    here = join(sys.argv[1])
    print(json.dumps(replicated.outcomes(here) | {kind: compared(kind, here) for kind in KINDS}))
    dist.destroy_process_group()
