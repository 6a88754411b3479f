"""Small models for `torch.compile`, each a function that makes a module and its inputs."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from tests.recorders.random_programs.torch_pieces import Squared

Model = Callable[[], tuple[nn.Module, tuple[Any, ...]]]
ROWS = 4


class _Parts(nn.Module):
    """Modules and a tensor of its own, and a function of all of them and the inputs."""

    def __init__(self, function: Callable[..., Any], *parts: nn.Module) -> None:
        super().__init__()
        self.function = function
        self.parts = nn.ModuleList(parts)
        self.scale = nn.Parameter(torch.full((3,), 0.5))
        self.register_buffer("count", torch.zeros(3))

    def forward(self, *inputs: Any) -> Any:
        return self.function(self, *inputs)


def _layers(*layers: nn.Module, shape: tuple[int, ...] = (ROWS, 3)) -> Model:
    return lambda: (deepcopy(nn.Sequential(*layers)), (torch.randn(shape),))


def _parts(function: Callable[..., Any], *sizes: tuple[int, int], shape: tuple[int, ...] = (ROWS, 3)) -> Model:
    return lambda: (_Parts(function, *(nn.Linear(*each) for each in sizes)), (torch.randn(shape),))


def _counting(module: Any, x: Any) -> Any:
    module.count += x.sum(0).detach()
    return x * module.scale + module.count.mean()


def _in_place(module: Any, x: Any) -> Any:
    h = module.parts[0](x)
    h.mul_(2.0)
    h[0] = 1.0
    return h + module.scale


def _without_gradient(module: Any, x: Any) -> Any:
    with torch.no_grad():
        shift = module.parts[0](x).mean()
    return module.parts[0](x) - shift + module.scale


def _broken(module: Any, x: Any) -> Any:
    h = torch.tanh(module.parts[0](x))
    torch._dynamo.graph_break()
    return h * module.scale


def _broken_by_number(module: Any, x: Any) -> Any:
    h = torch.sin(module.parts[0](x))
    return h * module.scale if h.sum().item() > -100.0 else h


def _eager_between(module: Any, x: Any) -> Any:
    h = torch.tanh(module.parts[0](x))
    return _left_out(h, module.scale).cos()


@torch.compiler.disable
def _left_out(h: Any, scale: Any) -> Any:
    return (h * scale).exp()


def _hooked(module: Any, x: Any) -> Any:
    h = module.parts[0](x)
    h.register_hook(lambda g: g * 0.5)
    return torch.sigmoid(h) * module.scale


def _doubled(parameter: Any) -> None:
    parameter.grad.mul_(2.0)


def _hooked_parameter() -> tuple[nn.Module, tuple[Any, ...]]:
    module = _Parts(lambda own, x: own.parts[0](x) * own.scale, nn.Linear(3, 3))
    module.scale.register_hook(lambda g: g + 1.0)
    module.parts[0].weight.register_post_accumulate_grad_hook(_doubled)
    return module, (torch.randn(ROWS, 3),)


def _hooked_module() -> tuple[nn.Module, tuple[Any, ...]]:
    module = _Parts(lambda own, x: own.parts[0](x) * own.scale, nn.Linear(3, 3))
    module.parts[0].register_full_backward_hook(lambda _, sent, got: (None if sent[0] is None else sent[0] * 3.0,))
    return module, (torch.randn(ROWS, 3),)


def _frozen() -> tuple[nn.Module, tuple[Any, ...]]:
    module = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 3))
    for each in module[0].parameters():
        each.requires_grad_(False)
    return module, (torch.randn(ROWS, 3),)


def _tied() -> tuple[nn.Module, tuple[Any, ...]]:
    module = _Parts(lambda own, x: own.parts[1](torch.tanh(own.parts[0](x))), nn.Linear(3, 3), nn.Linear(3, 3))
    module.parts[1].weight = module.parts[0].weight
    return module, (torch.randn(ROWS, 3),)


def _words() -> tuple[nn.Module, tuple[Any, ...]]:
    return nn.Sequential(nn.Embedding(7, 5), nn.Linear(5, 3)), (torch.randint(0, 7, (ROWS, 6)),)


def _two_inputs() -> tuple[nn.Module, tuple[Any, ...]]:
    module = _Parts(lambda own, x, y: own.parts[0](x) * own.parts[1](y) * own.scale, nn.Linear(3, 3), nn.Linear(2, 3))
    return module, (torch.randn(ROWS, 3), torch.randn(ROWS, 2, requires_grad=True))


def _attention(module: Any, x: Any) -> Any:
    q, k, v = (part(x) for part in module.parts)
    return F.scaled_dot_product_attention(q, k, v) * module.scale


def _autocast(module: Any, x: Any) -> Any:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return module.parts[0](x).float() * module.scale


HEALTHY: dict[str, Model] = {
    "linear": _layers(nn.Linear(3, 2)),
    "perceptron": _layers(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1)),
    "deep": _layers(*(part for _ in range(6) for part in (nn.Linear(3, 3), nn.Softplus()))),
    "gelu": _layers(nn.Linear(3, 8), nn.GELU(), nn.Linear(8, 2)),
    "convolution": _layers(nn.Conv2d(2, 4, 3), nn.Softplus(), nn.Flatten(), nn.Linear(64, 2), shape=(ROWS, 2, 6, 6)),
    "pooled": _layers(nn.Conv1d(2, 3, 3), nn.AvgPool1d(2), nn.Flatten(), nn.Linear(9, 1), shape=(ROWS, 2, 8)),
    "batch_norm": _layers(nn.Linear(3, 4, bias=False), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 2)),
    "layer_norm": _layers(nn.Linear(3, 4), nn.LayerNorm(4), nn.Tanh(), nn.Linear(4, 2)),
    "group_norm": _layers(
        nn.Conv1d(2, 4, 1), nn.GroupNorm(2, 4), nn.Tanh(), nn.Flatten(), nn.Linear(20, 1), shape=(ROWS, 2, 5)
    ),
    "dropout": _layers(nn.Linear(3, 16), nn.Dropout(0.2), nn.Tanh(), nn.Linear(16, 2)),
    "softmax": _layers(nn.Linear(3, 4), nn.LogSoftmax(-1)),
    "words": _words,
    "attention": _parts(_attention, (3, 3), (3, 3), (3, 3), shape=(ROWS, 5, 3)),
    "own_gradient": _parts(lambda own, x: Squared.apply(own.parts[0](x)) * own.scale, (3, 3)),
    "einsum": _parts(lambda own, x: torch.einsum("ij,kj->ik", own.parts[0](x), x) * own.scale.sum(), (3, 3)),
    "cumulative": _parts(lambda own, x: torch.cumsum(own.parts[0](x) * own.scale, 0), (3, 3)),
    "turned": _parts(lambda own, x: (own.parts[0](x) * own.scale).t().contiguous().view(-1), (3, 3)),
    "picked": _parts(lambda own, x: (own.parts[0](x) * own.scale)[:, torch.tensor([0, 2, 1, 1])], (3, 3)),
    "spectrum": _parts(lambda own, x: torch.fft.rfft(own.parts[0](x) * own.scale).abs(), (3, 3)),
    "autocast": _parts(_autocast, (3, 3)),
    "broken": _parts(_broken, (3, 3)),
    "broken_by_number": _parts(_broken_by_number, (3, 3)),
    "eager_between": _parts(_eager_between, (3, 3)),
    "checkpoint": _parts(
        lambda own, x: checkpoint(lambda y: torch.tanh(own.parts[0](y)), x, use_reentrant=False) * own.scale, (3, 3)
    ),
}
"""Models whose gradients all arrive: nothing is to be found in them."""

ODD: dict[str, Model] = {
    "frozen": _frozen,
    "tied": _tied,
    "two_inputs": _two_inputs,
    "hooked": _parts(_hooked, (3, 3)),
    "hooked_parameter": _hooked_parameter,
    "hooked_module": _hooked_module,
    "counting": _parts(_counting),
    "in_place": _parts(_in_place, (3, 3)),
    "without_gradient": _parts(_without_gradient, (3, 3)),
    "unused": _parts(lambda own, x: own.parts[0](x) * own.scale, (3, 3), (3, 3)),
    "detached": _parts(lambda own, x: own.parts[0](x).detach() * own.scale, (3, 3)),
    "dead": _parts(lambda own, x: torch.relu(own.parts[0](x) - 100.0) + own.scale, (3, 3)),
    "several": _parts(lambda own, x: (own.parts[0](x), (own.parts[1](x) * own.scale).cos()), (3, 3), (3, 3)),
    "alias": _parts(lambda own, x: (own.parts[0](x) * own.scale, x, x[0]), (3, 3)),
}
"""Models with hooks, with leaves that get None or zeros, or that change tensors in place."""
