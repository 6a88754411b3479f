"""PyTorch programs as people write them: each takes `torch` and gives its named tensors and its loss.

Nothing here knows of tapeviz. `backward` is called by whoever runs the program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Named = dict[str, Any]
Program = Callable[[Any], tuple[Named, Any]]

PROGRAMS: dict[str, Program] = {}


def program(make: Program) -> Program:
    PROGRAMS[make.__name__] = make
    return make


@program
def one_neuron(torch: Any) -> tuple[Named, Any]:
    w = torch.tensor([0.5, -1.5], requires_grad=True)
    b = torch.tensor(0.25, requires_grad=True)
    x = torch.tensor([2.0, 1.0])
    z = (w * x).sum() + b
    loss = (torch.sigmoid(z) - 1.0) ** 2
    return {"w": w, "b": b, "z": z}, loss


@program
def squared_by_itself(torch: Any) -> tuple[Named, Any]:
    x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
    h = torch.tanh(x)
    y = h * h + h
    return {"x": x, "h": h, "y": y}, y.sum()


@program
def mlp(torch: Any) -> tuple[Named, Any]:
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    x = torch.randn(5, 3)
    out = net(x)
    loss = torch.nn.functional.cross_entropy(out, torch.tensor([0, 1, 0, 1, 1]))
    return {"out": out, **dict(net.named_parameters())}, loss


@program
def shared_weight_rnn(torch: Any) -> tuple[Named, Any]:
    w = torch.randn(3, 3, requires_grad=True)
    u = torch.randn(2, 3, requires_grad=True)
    h = torch.zeros(4, 3)
    states = []
    for step in range(4):
        h = torch.tanh(torch.ones(4, 2) * step @ u + h @ w)
        states.append(h)
    return {"w": w, "u": u, "first": states[0]}, torch.stack(states).pow(2).mean()


@program
def convolution(torch: Any) -> tuple[Named, Any]:
    net = torch.nn.Sequential(
        torch.nn.Conv2d(1, 3, 3), torch.nn.BatchNorm2d(3), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Flatten()
    )
    x = torch.randn(2, 1, 6, 6)
    h = net(x)
    return {"h": h, **dict(net.named_parameters())}, h.square().mean()


@program
def attention(torch: Any) -> tuple[Named, Any]:
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    x = torch.randn(2, 3, 8, requires_grad=True)
    out = layer(x)
    return {"x": x, "out": out, **dict(layer.named_parameters())}, out.mean()


@program
def recurrent(torch: Any) -> tuple[Named, Any]:
    net = torch.nn.LSTM(2, 3, batch_first=True)
    out, (h, _) = net(torch.randn(2, 4, 2))
    return {"out": out, **dict(net.named_parameters())}, out.sum() + h.square().sum()


@program
def several_outputs(torch: Any) -> tuple[Named, Any]:
    x = torch.randn(4, 6, requires_grad=True)
    left, right = x.chunk(2, dim=1)
    best, _ = torch.max(left, dim=1)
    rows = right.unbind(0)
    return {"x": x, "left": left, "best": best}, best.sum() * rows[0].sum() + rows[2].prod()


@program
def changed_in_place(torch: Any) -> tuple[Named, Any]:
    x = torch.randn(4, requires_grad=True)
    h = x * 2
    h += 1
    h[0] = 5.0
    h[1:].mul_(3.0)
    y = h.exp()
    return {"x": x, "y": y}, y.sum()


@program
def indexed(torch: Any) -> tuple[Named, Any]:
    table = torch.nn.Embedding(5, 3)
    rows = table(torch.tensor([0, 2, 2]))
    picked = rows[:, 1:][torch.tensor([True, False, True])]
    return {"rows": rows, "picked": picked, "table": table.weight}, picked.pow(3).sum()


@program
def frozen_part(torch: Any) -> tuple[Named, Any]:
    body, head = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
    with torch.no_grad():
        features = body(torch.ones(2, 2))
    out = head(features)
    return {"out": out, "weight": head.weight, "bias": head.bias}, out.abs().mean()


@program
def own_function(torch: Any) -> tuple[Named, Any]:
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, scale: float) -> Any:
            ctx.save_for_backward(x)
            ctx.scale = scale
            return scale * x**3

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g * 3 * ctx.scale * x**2, None

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = Cube.apply(x, 2.0)
    return {"x": x, "y": y}, y.sum()


@program
def checkpointed(torch: Any) -> tuple[Named, Any]:
    from torch.utils.checkpoint import checkpoint

    layer = torch.nn.Linear(3, 3)
    x = torch.randn(2, 3, requires_grad=True)
    y = checkpoint(lambda t: torch.tanh(layer(t)), x, use_reentrant=False)
    return {"x": x, "y": y, **dict(layer.named_parameters())}, y.sum()


@program
def with_hook(torch: Any) -> tuple[Named, Any]:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * 3
    h.register_hook(lambda g: g * 2)
    return {"x": x}, (h * h).sum()


@program
def with_hooks_where_one_gradient_arrives(torch: Any) -> tuple[Named, Any]:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.register_hook(lambda g: g.clamp(max=10.0))
    h = x * 3
    h.register_hook(lambda g: g * 2)
    return {"x": x, "h": h}, (h**2).sum()


@program
def losses(torch: Any) -> tuple[Named, Any]:
    f = torch.nn.functional
    p = torch.randn(6, requires_grad=True)
    y = torch.rand(6)
    total = f.mse_loss(p, y) + f.l1_loss(p, y) + f.huber_loss(p, y) + f.smooth_l1_loss(p, y)
    total = total + f.binary_cross_entropy_with_logits(p, y) + f.kl_div(f.log_softmax(p, 0), y, reduction="sum")
    return {"p": p}, total


@program
def odds_and_ends(torch: Any) -> tuple[Named, Any]:
    x = torch.rand(3, 3, requires_grad=True)
    a = 2.0 - x
    b = 1.0 / (x + 1.0)
    c = 2.0**x
    d = torch.where(x > 0.5, a, b)
    e = torch.einsum("ij,jk->ik", c, d)
    f = e.norm() + e.std() + torch.linalg.vector_norm(d) + e.clamp(0.0, 4.0).logsumexp(dim=0).sum()
    return {"x": x, "d": d, "e": e}, f + x.T.diagonal().cumsum(0).sum() + torch.cat([a, b]).sort()[0][0].sum()


@program
def layer_of_rows_used_twice(torch: Any) -> tuple[Named, Any]:
    layer, cell = torch.nn.Linear(3, 3), torch.nn.GRUCell(3, 3)
    h = layer(torch.tanh(layer(torch.randn(2, 4, 3))))
    state = h[:, 0]
    for step in (1, 2):
        state = cell(h[:, step], state)
    return {"h": h, "state": state, **dict(layer.named_parameters()), **dict(cell.named_parameters())}, state.sum()


@program
def own_function_in_place(torch: Any) -> tuple[Named, Any]:
    class Increment(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return x.add_(1.0)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2.0

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = Increment.apply(x * 3.0)
    return {"x": x, "h": h}, (h * h).sum()


@program
def modules_with_hooks(torch: Any) -> tuple[Named, Any]:
    first, last = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
    first.register_full_backward_hook(lambda module, sent, got: None)
    last.register_forward_pre_hook(lambda module, given: (given[0] * 2.0,))
    net = torch.nn.Sequential(first, last)
    x = torch.ones(4, 2, requires_grad=True)
    return {"x": x, "weight": first.weight, "bias": first.bias}, net(x).square().mean()
