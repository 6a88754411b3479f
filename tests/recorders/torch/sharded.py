"""Trainings whose parameters are shared out over processes, each with a recording and without, printed as JSON."""

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
from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import Shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

import tapeviz as tv
from tapeviz.events import GradientStored
from tests.processes import join
from tests.recorders.torch.replicated import collectives_of

STEPS = 2
CPU = torch.device("cpu")
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


def _flat(model: Any, *, use_orig_params: bool) -> Any:
    return FullyShardedDataParallel(model, use_orig_params=use_orig_params, device_id=CPU)


def _tensor_parallel(model: Any, **more: Any) -> Any:
    plan = {"first": ColwiseParallel(), "second": RowwiseParallel(**more)}
    if more:
        plan["last"] = ColwiseParallel(input_layouts=Shard(0))
    return parallelize_module(model, init_device_mesh("cpu", (2,)), plan)


KINDS: dict[str, Callable[[Any], Any]] = {
    "fully_shard": _by_layer,
    "fully_shard in half precision": lambda model: _by_layer(model, mp_policy=HALF),
    "fully_shard, accumulating": _by_layer,
    "FSDP": lambda model: _flat(model, use_orig_params=True),
    "FSDP, one flat parameter": lambda model: _flat(model, use_orig_params=False),
    "FSDP, accumulating": lambda model: _flat(model, use_orig_params=True),
    "tensor parallel": _tensor_parallel,
    "sequence parallel": lambda model: _tensor_parallel(model, output_layouts=Shard(0)),
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


def train(kind: str, rank: int, model: Any) -> list[dict[str, Any]]:
    """The gradients of each step, as far as this process has them."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    torch.manual_seed(0 if "parallel" in kind else rank)
    gradients = []
    for _ in range(STEPS):
        if "accumulating" in kind:
            with unsynchronised(model):
                model(torch.randn(4, 8)).square().mean().backward()
            if not isinstance(model, FullyShardedDataParallel):
                model.set_requires_gradient_sync(True)
        model(torch.randn(4, 8)).square().mean().backward()
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
    model, again = built(kind), built(kind)
    gradients, issued = collectives_of(lambda: train(kind, rank, model))
    with tv.record() as log:
        recorded, issued_too = collectives_of(lambda: train(kind, rank, again))
    stored: dict[str, list[Any]] = {}
    for each in log.of_kind(GradientStored).values():
        stored.setdefault(str(log.tensors[each.tensor].name), []).append(log.value(each.gradient))
    return {
        "same": all(
            np.array_equal(*map(local, pair)) for pair in zip(model.parameters(), again.parameters(), strict=True)
        )
        and all(
            np.array_equal(one[name], other[name])
            for one, other in zip(gradients, recorded, strict=True)
            for name in one
        ),
        "collectives": [issued, issued_too],
        "grad": [np.allclose(stored[plain(name)][-1], each, rtol=1e-6) for name, each in recorded[-1].items()],
        "told": str(tv.diagnose(log)),
    }


def plain(name: str) -> str:
    """The name of a parameter without what a wrapper puts before it."""
    return name.replace("_fsdp_wrapped_module.", "")


if __name__ == "__main__":
    here = join(sys.argv[1])
    print(json.dumps({kind: compared(kind, here) for kind in KINDS}))
    dist.destroy_process_group()
