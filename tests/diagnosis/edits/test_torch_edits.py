"""Edits of programs of PyTorch's: what they write, that the gradient is there then, and where none is offered."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.diagnosis.fixes.healing import healed
from tests.diagnosis.fixes.programs import Faulty
from tests.diagnosis.fixes.running import PROGRAM, gradients, in_process
from tests.diagnosis.planted.symptoms import unhealthy

pytestmark = pytest.mark.torch

LOOKUP = """
    pos = torch.tensor([1.3, 2.8], requires_grad=True)
    table = torch.tensor([0.0, 1.0, 4.0, 9.0])
    left = pos.floor().long()
    seen = table[left]
    (seen - 5.0).square().sum().backward()
    """

HISTOGRAM = """
    image = torch.tensor([0.1, 0.35, 0.5, 0.9], requires_grad=True)
    counts = torch.histc(image, bins=4, min=-1.0, max=1.0)
    (counts - torch.tensor([2.0, 1.0, 1.0, 0.0])).square().mean().backward()
    """

FILLED_UP = """
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
    lstm = torch.nn.LSTM(3, 4, batch_first=True)
    long, short = torch.randn(5, 3, requires_grad=True), torch.randn(2, 3, requires_grad=True)
    batch = torch.nn.utils.rnn.pad_sequence([long, short], batch_first=True)
    packed, _ = lstm(pack_padded_sequence(batch, torch.tensor([5, 2]), batch_first=True))
    out, _ = pad_packed_sequence(packed, batch_first=True)
    last = out[:, -1]
    last.square().sum().backward()
    """

FREE = "block.bias"
"""What is frozen, and has no gradient."""

FROZEN = """
    class Again(torch.autograd.Function):
        @staticmethod
        def forward(ctx, block, x, *params):
            ctx.block, ctx.params = block, list(params)
            ctx.save_for_backward(x)
            with torch.no_grad():
                return block(x)
        @staticmethod
        def backward(ctx, upstream):
            x, = ctx.saved_tensors
            with torch.enable_grad():
                x = x.detach().requires_grad_(True)
                out = ctx.block(x)
            return None, *torch.autograd.grad(out, [x, *ctx.params], upstream)
    block = torch.nn.Linear(2, 2)
    block.bias.requires_grad_(False)
    x = torch.ones(1, 2, requires_grad=True)
    Again.apply(block, x, *block.parameters()).square().sum().backward()
    """

PROBABILITIES = """
    net = torch.nn.Linear(2, 3)
    h = net(torch.randn(4, 2))
    torch.nn.functional.cross_entropy(h.softmax(-1), torch.tensor([0, 1, 2, 0])).backward()
    """

ARRAYS = """
    net, head = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
    h = net(torch.randn(4, 2))
    z = torch.from_numpy((h.detach().numpy() - h.detach().numpy().mean(0)) / 2.0)
    head(z).square().mean().backward()
    """

ARRAYS_BY_NUMPY = """
    import numpy as np
    net = torch.nn.Linear(2, 3)
    h = net(torch.randn(4, 2))
    z = torch.from_numpy({}).requires_grad_()
    z.square().mean().backward()
    """

REPLACED = """
    net = torch.nn.Sequential(torch.nn.Linear(2, 1))
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    net[0].weight = torch.nn.Parameter(net[0].weight * 0.5)
    net(torch.randn(4, 2)).square().sum().backward()
    optimizer.step()
    """

WRITTEN = {
    "a place between two entries": (
        LOOKUP,
        [
            "seen = table[left] + (pos - torch.floor(pos)) * "
            "(table[torch.clamp(left + 1, 0, table.shape[0] - 1)] - table[left])"
        ],
    ),
    "numbers that count for bins": (
        HISTOGRAM,
        [
            "counts = torch.sum(torch.relu(1 - torch.abs((torch.reshape(image, [-1, 1]) - -1.0) / 0.5 - 0.5 - "
            "torch.arange(4.0))), axis=0)"
        ],
    ),
    "sequences of several lengths": (
        FILLED_UP,
        [
            "out, out_lengths = pad_packed_sequence(packed, batch_first=True)",
            "last = out[torch.arange(len(out_lengths)), out_lengths - 1]",
        ],
    ),
    "the same, time first": (
        FILLED_UP.replace(", batch_first=True)\n    last", ")\n    last").replace("out[:, -1]", "out[-1]"),
        [
            "out, out_lengths = pad_packed_sequence(packed)",
            "last = out[out_lengths - 1, torch.arange(len(out_lengths))]",
        ],
    ),
    "the same, with a name for the lengths": (
        FILLED_UP.replace("out, _ = pad", "out, sizes = pad"),
        ["last = out[torch.arange(len(sizes)), sizes - 1]"],
    ),
    "logits in place of probabilities that a method makes": (
        PROBABILITIES,
        ["torch.nn.functional.cross_entropy(h, torch.tensor([0, 1, 2, 0])).backward()"],
    ),
    "the same, of what has no name": (
        PROBABILITIES.replace("h.softmax", "net(torch.ones(4, 2)).softmax"),
        ["torch.nn.functional.cross_entropy(net(torch.ones(4, 2)), torch.tensor([0, 1, 2, 0])).backward()"],
    ),
    "what is computed of arrays": (ARRAYS, ["z = (h - h.mean(0)) / 2.0"]),
    "what functions of NumPy's and operators compute": (
        ARRAYS_BY_NUMPY.format("np.tanh(h.detach().numpy()) + 1.0"),
        ["z = (torch.tanh(h) + 1.0).requires_grad_()"],
    ),
    "a parameter that replaces another": (
        REPLACED,
        ["with torch.no_grad(): net[0].weight.copy_(net[0].weight * 0.5)"],
    ),
    "tensors some of which are frozen": (
        FROZEN,
        [
            "asked = [x, *ctx.params]",
            "given = iter(torch.autograd.grad(out, [each for each in asked if each.requires_grad], upstream))",
            "return None, *[next(given) if each.requires_grad else None for each in asked]",
        ],
    ),
}

UNWRITTEN = {
    "a table of rows": LOOKUP.replace("[0.0, 1.0, 4.0, 9.0]", "[[0.0], [1.0], [4.0], [9.0]]"),
    "a place that has another value by then": LOOKUP.replace("    seen", "    pos = pos * 2.0\n    seen"),
    "a place that is drawn anew": LOOKUP.replace("pos.floor()", "(pos + torch.rand(2)).floor()"),
    "entries below zero": LOOKUP.replace("[1.3, 2.8]", "[-1.3, 2.8]"),
    "bins from the least to the largest number": HISTOGRAM.replace(", min=-1.0, max=1.0", ""),
    "a name that NumPy is given later": ARRAYS_BY_NUMPY.format("np.cumsum(h, axis=0)").replace(
        "4, 2))", "4, 2)).detach().numpy()"
    ),
    "an entry of one sequence": FILLED_UP.replace("out[:, -1]", "out[0, -1]"),
    "steps that were computed on": FILLED_UP.replace("    last", "    out = torch.relu(out)\n    last"),
    "lengths that are not there": FILLED_UP.replace("out, _ = pad_p", "out = pad_p").replace(
        "packed, batch_first=True)\n    last", "packed, batch_first=True)[0]\n    last"
    ),
    "time first, read batch first": FILLED_UP.replace("packed, batch_first=True)\n    last", "packed)\n    last"),
    "a call in a loop of its own": FROZEN.replace(
        "*torch.autograd.grad(out, [x, *ctx.params], upstream)",
        "*[torch.autograd.grad(out, [each], upstream, retain_graph=True)[0] for each in [x, *ctx.params]]",
    ),
    "a name that may be one tensor": FROZEN.replace("[x, *ctx.params], up", "x_and_more(x, ctx.params), up").replace(
        "    block = torch.nn.Linear",
        "    def x_and_more(x, params):\n        return [x, *params]\n    block = torch.nn.Linear",
    ),
    "names that are taken": FROZEN.replace("            x, = ctx", "            given = None\n            x, = ctx"),
}


def _program(text: str) -> str:
    return f"import torch\ntorch.manual_seed(0)\n{dedent(text)}"


@pytest.mark.parametrize(("text", "written"), WRITTEN.values(), ids=WRITTEN)
def test_what_is_written_heals(text: str, written: list[str], tmp_path: Path) -> None:
    program = _program(text)
    outcome = healed(Faulty("", "torch", program, program, 1), tmp_path, in_process)
    assert outcome.is_healed, outcome
    new = [each for each in outcome.text.splitlines() if each not in program.splitlines()]
    assert [each.strip() for each in new] == written
    assert [each for each in unhealthy(gradients(outcome.text, "torch")) if FREE not in each] == []


@pytest.mark.parametrize("text", UNWRITTEN.values(), ids=UNWRITTEN)
def test_nothing_is_offered_that_would_not_do(text: str, tmp_path: Path) -> None:
    (tmp_path / PROGRAM).write_text(_program(text))
    found = in_process(tmp_path)
    assert found
    assert [each["patch"] for each in found] == [""] * len(found)
