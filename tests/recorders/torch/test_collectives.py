"""Collectives of `torch.distributed`: what they write has no derivative, and is told so at their line."""

from __future__ import annotations

import pytest

from tapeviz.diagnosis.diagnose import diagnose
from tests.diagnosis.programs import loud, run

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("alone")]

INTO_BUFFERS = {
    "all_gather": ("out = [torch.zeros(2)]", "dist.all_gather(out, x * 2)", "torch.cat(out)"),
    "reduce_scatter": ("out = torch.zeros(2)", "dist.reduce_scatter(out, [x * 2])", "out"),
    "all_to_all_single": ("out = torch.zeros(2)", "dist.all_to_all_single(out, x * 2)", "out"),
    "scatter": ("out = torch.zeros(2)", "dist.scatter(out, [x * 2])", "out"),
}


@pytest.mark.parametrize("name", INTO_BUFFERS)
def test_one_that_fills_a_buffer_cuts_the_graph_and_the_buffer_is_not_blamed(name: str) -> None:
    made, call, result = INTO_BUFFERS[name]
    text = f"""# raises
import torch.distributed as dist
x = torch.ones(2, requires_grad=True)
{made}
{call}
{result}.sum().backward()
"""
    found = diagnose(run(text, torch))[0]
    assert (found.cause, found.site and found.site.line) == ("nondifferentiable_op", 5)
    assert found.message.startswith(f"`dist.{name}` at <program ")
    assert "has no derivative" in found.message
    assert found.fix.startswith(f"Use `torch.distributed.nn.functional.{name}` in its place")


def test_one_that_changes_a_result_of_the_graph_is_not_seen_by_autograd() -> None:
    text = """
import torch.distributed as dist
x = torch.ones(2, requires_grad=True)
y = x * 3.0
dist.all_reduce(y)
y.sum().backward()
"""
    found = diagnose(run(text, torch))[0]
    assert (found.cause, found.site and found.site.line) == ("inplace_modification", 5)
    assert "`torch.distributed.nn.functional.all_reduce`" in found.fix


HEALTHY = {
    "gradients_and_weights_that_are_made_equal": """
import torch.distributed as dist
w = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(2):
    optimizer.zero_grad()
    loss = (w * 2.0).sum()
    loss.backward()
    dist.all_reduce(w.grad)
    w.grad /= dist.get_world_size()
    optimizer.step()
    dist.broadcast(w.data, 0)
    shown = loss.detach().clone()
    dist.all_reduce(shown)
""",
    "the_ones_that_autograd_follows": """
import torch.distributed as dist
import torch.distributed.nn.functional as followed
x = torch.ones(2, requires_grad=True)
torch.cat(followed.all_gather(x * 2.0, dist.group.WORLD)).sum().backward()
""",
}


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_use_of_them_hears_nothing_but_hints(name: str) -> None:
    assert loud(run(HEALTHY[name], torch)) == []
