"""A seed -> a random healthy program of PyTorch: a training loop, with a module and what people do beside the loss."""

from __future__ import annotations

import random

ONE = (
    "torch.tanh({})",
    "torch.sin({})",
    "{} ** 2",
    "torch.nn.functional.softplus({})",
    "torch.sigmoid({})",
    "torch.relu({})",
    "-{}",
    "torch.softmax({}, 0)",
    "torch.abs({})",
    "torch.sqrt({} ** 2 + 0.1)",
    "torch.log1p(torch.exp({}))",
    "{}.flip(0)",
    "torch.cat([{0}[1:], {0}[:1]])",
    "{}[torch.tensor([2, 0, 1])]",
    "torch.stack(list({}.unbind()))",
    "(mix @ {}.reshape(3, 1)).reshape(3)",
    "{0} - {0}.mean() * 0.5",
    "{}.cumsum(0)",
    "{}.clamp(-2.0, 2.0)",
    "cell({})",
    "torch.where({0} > 0, torch.sqrt(torch.where({0} > 0, {0}, torch.ones(3))), {0})",
    "net({})",
    "torch.nn.functional.layer_norm({}, [3])",
    "{0} + ({0}.round() - {0}).detach()",
    "checkpoint(cell, {}, use_reentrant=False)",
    "{}.sort().values",
    "{}.clone().mul_(0.5)",
)
TWO = (
    "{} + {}",
    "{} - {}",
    "{} * {}",
    "torch.maximum({}, {})",
    "{} / (1.0 + {} ** 2)",
    "torch.where({0} > 0.1, {0}, {1})",
    "({} @ {}) * mix[0]",
    "{} * {}.max()",
    "torch.minimum({}, torch.exp({}))",
    "torch.lerp({}, {}, 0.3)",
    "torch.nn.functional.mse_loss({}, {}) + mix[1]",
)
ASIDE = (
    "shown = {}.argmax()",
    "seen = {}.max().item()",
    "frozen = {}.detach() * 2.0",
    "state.copy_({}.detach())",
    "counted = {}.detach().long()",
    "history.append({}.detach().norm().item())",
    "history.append(float({}.sum()))",
    "total += {}.sum().item()",
    "entries = {}.tolist()",
    "kept = {}.detach().numpy().copy()",
    "with torch.no_grad(): watched = {}.mean()",
)
PREAMBLE = """\
from torch.utils.checkpoint import checkpoint
mix = torch.tensor([[0.5, 0.1, -0.2], [0.3, -0.4, 0.2], [0.1, 0.2, 0.6]])
state, total, history = torch.zeros(3), 0.0, []
def cell(x):
    inner = torch.tanh(x * 0.5)
    return inner + x
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inward, self.outward = torch.nn.Linear(3, 4), torch.nn.Linear(4, 3)
        self.register_buffer("calls", torch.zeros(()))
    def forward(self, x):
        self.calls += 1
        return self.outward(torch.tanh(self.inward(x)))
net = Net()
"""
UPDATES = (
    ("optimizer = torch.optim.SGD([*net.parameters(), *vs], lr=0.01)", "optimizer.zero_grad()", "optimizer.step()"),
    ("optimizer = torch.optim.Adam([*net.parameters(), *vs], lr=0.01)", "optimizer.zero_grad()", "optimizer.step()"),
    (
        "",
        "for v in vs: v.grad = None",
        "with torch.no_grad():\n        for v in vs: v -= 0.01 * v.grad",
    ),
    ("", "", "for v, g in zip(vs, torch.autograd.grad(loss, vs)): v.data -= 0.01 * g"),
)


def program(seed: int, more: tuple[str, ...] = ()) -> str:
    """Some steps of training a random expression of three leaves of three elements each, and a small network.

    `more` are expressions of one tensor, which are drawn from as well.
    """
    draw = random.Random(seed)
    lines = [f"v{i} = torch.tensor({[round(draw.uniform(-1, 1), 2) for _ in range(3)]})" for i in range(3)]
    lines += ["vs = [each.requires_grad_() for each in (v0, v1, v2)]"]
    made, cleared, used = draw.choice(UPDATES)
    body, names = [cleared], ["v0", "v1", "v2"]
    for number in range(draw.randint(3, 14)):
        expression = draw.choice(ONE + TWO + more).format(draw.choice(names), draw.choice(names))
        body.append(f"t{number} = {expression}")
        names.append(f"t{number}")
        if draw.random() < 0.3:
            body.append(draw.choice(ASIDE).format(draw.choice(names)))
    body.append(f"loss = ({' + '.join(['v0 * v0', 'v1', 'net(v2)', *draw.sample(names, 3)])}).sum()")
    body += [used] if "autograd.grad" in used else ["loss.backward()", used]
    loop = [f"for step in range({draw.randint(1, 3)}):", *("    " + each for each in body if each)]
    return PREAMBLE + "\n".join([*lines, *([made] if made else []), *loop]) + "\n"
