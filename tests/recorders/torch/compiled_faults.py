"""Programs with a fault in what they compile: each is given what compiles, and takes a gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

Compile = Callable[[Any], Any]


class Net(nn.Module):
    """Layers and what is computed of them."""

    def __init__(self, forward: Callable[..., Any], *layers: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.scale = nn.Parameter(torch.ones(3))
        self.computed = forward

    def forward(self, x: Any) -> Any:
        return self.computed(self, x)


def _linear() -> nn.Linear:
    layer = nn.Linear(3, 3)
    nn.init.zeros_(layer.bias)
    return layer


def _step(compiled: Compile, forward: Callable[..., Any], *layers: nn.Module) -> None:
    net = Net(forward, *layers)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    run = compiled(net)
    loss = run(torch.linspace(-1.0, 1.0, 12).view(4, 3)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def _dead_relu(net: Any, x: Any) -> Any:
    h = net.layers[0](x)
    return torch.relu(h - 100.0) * net.scale


def _root_of_zero(net: Any, x: Any) -> Any:
    h = net.layers[0](x)
    return torch.sqrt(h - h) * net.scale


def _root_of_negative(net: Any, x: Any) -> Any:
    h = net.layers[0](x)
    return torch.sqrt(-h * h - 1.0) * net.scale


def _log_of_zero(net: Any, x: Any) -> Any:
    h = torch.relu(net.layers[0](x) - 50.0)
    return torch.log(h) * net.scale


def _detached(net: Any, x: Any) -> Any:
    h = net.layers[0](x).detach()
    return h * net.scale


def _without_grad(net: Any, x: Any) -> Any:
    with torch.no_grad():
        h = net.layers[0](x)
    return h * net.scale


def _overflow(net: Any, x: Any) -> Any:
    h = net.layers[0](x)
    return torch.exp(h * 1000.0) * net.scale


def _to_integers(net: Any, x: Any) -> Any:
    h = net.layers[0](x)
    return h.int() * net.scale


def _rounded(net: Any, x: Any) -> Any:
    h = net.layers[0](x)
    return torch.round(h) * net.scale


def _compared(net: Any, x: Any) -> Any:
    h = net.layers[0](x)
    return (h > 0).float() * net.scale


def _largest(net: Any, x: Any) -> Any:
    h = net.layers[0](x)
    return h.argmax(1, keepdim=True) * net.scale


def _saturated(net: Any, x: Any) -> Any:
    h = net.layers[0](x)
    return torch.sigmoid(h * 0.001 + 200.0) * net.scale


def _clamped(net: Any, x: Any) -> Any:
    h = net.layers[0](x)
    return torch.clamp(h, 10.0, 20.0) * net.scale


def _scaled(net: Any, x: Any) -> Any:
    h = net.layers[0](x)
    return h * net.scale


def _unused_result(net: Any, x: Any) -> Any:
    h = net.layers[0](x)
    net.layers[1](h)
    return h * net.scale


def _vanishing(net: Any, x: Any) -> Any:
    for layer in net.layers:
        x = torch.sigmoid(layer(x))
    return x * net.scale


def _exploding(net: Any, x: Any) -> Any:
    for layer in net.layers:
        x = layer(x) * 100.0
    return x * net.scale


def _infinite_mask(net: Any, x: Any) -> Any:
    h = net.layers[0](x)
    masked = h.masked_fill(torch.ones_like(h, dtype=torch.bool), float("-inf"))
    return F.softmax(masked, -1) * net.scale


def _zero_over_zero(net: Any, x: Any) -> Any:
    h = net.layers[0](x)
    return (h - h) / (h - h).norm() * net.scale


def _times_zero(net: Any, x: Any) -> Any:
    h = net.layers[0](x)
    return h * 0.0 * net.scale


def _norm_of_one(net: Any, x: Any) -> Any:
    h = net.layers[0](x)
    return F.softmax(h[:, :1], -1) * net.scale


def _where_of_root(net: Any, x: Any) -> Any:
    h = net.layers[0](x) * 0.0
    return torch.where(h > 0, torch.sqrt(h), h) * net.scale


class Doubled(torch.autograd.Function):
    """Forgets the factor on the way back."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2.0

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return gradient


class Ignored(torch.autograd.Function):
    """Forgets what arrives."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return ctx.saved_tensors[0].cos()


def _wrong_gradient(net: Any, x: Any) -> Any:
    h = net.layers[0](x)
    return Doubled.apply(h) * net.scale


def _forgotten_upstream(net: Any, x: Any) -> Any:
    h = net.layers[0](x)
    return Ignored.apply(h) * net.scale * 3.0


def _changed_in_place(compiled: Compile) -> None:
    w = torch.ones(3, requires_grad=True)
    h = compiled(lambda w: torch.exp(w * 2.0))(w)
    loss = (h * h).sum()
    h.mul_(2.0)
    try:
        loss.backward()
    except RuntimeError:
        return


def _not_accumulated(compiled: Compile) -> None:
    net = Net(_scaled, _linear())
    run, optimizer = compiled(net), torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        run(torch.ones(2, 3)).sum().backward()
        optimizer.step()


def _with(forward: Callable[..., Any], layers: int = 1) -> Callable[[Compile], None]:
    return lambda compiled: _step(compiled, forward, *(_linear() for _ in range(layers)))


FAULTS: dict[str, Callable[[Compile], None]] = {
    "dead relu": _with(_dead_relu),
    "root of zero": _with(_root_of_zero),
    "root of a negative number": _with(_root_of_negative),
    "logarithm of zero": _with(_log_of_zero),
    "detached": _with(_detached),
    "without gradient": _with(_without_grad),
    "overflow": _with(_overflow),
    "cast to integers": _with(_to_integers),
    "rounded": _with(_rounded),
    "compared": _with(_compared),
    "place of the largest": _with(_largest),
    "saturated": _with(_saturated),
    "clamped": _with(_clamped),
    "unused result": _with(_unused_result, 2),
    "vanishing": _with(_vanishing, 14),
    "exploding": _with(_exploding, 12),
    "masked altogether": _with(_infinite_mask),
    "zero over zero": _with(_zero_over_zero),
    "times zero": _with(_times_zero),
    "softmax of one": _with(_norm_of_one),
    "root beside a condition": _with(_where_of_root),
    "wrong gradient": _with(_wrong_gradient),
    "gradient without what arrives": _with(_forgotten_upstream),
    "changed in place": _changed_in_place,
    "gradients not cleared": _not_accumulated,
}
