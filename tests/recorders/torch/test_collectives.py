"""Collectives of `torch.distributed`: what they write has no derivative, and is told so at their line."""

from __future__ import annotations

from typing import Any

import pytest

import tapeviz as tv
from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.events import BackwardFinished, OpRecorded, OpSkipped
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


WORLD = {"group": "world", "ranks": 1, "bytes": 8}


def collectives(log: Any) -> list[tuple[str, dict[str, Any]]]:
    """The collectives of a log."""
    ops = log.of_kind(OpRecorded, OpSkipped).values()
    return [(each.op, dict(each.attrs)) for each in ops if each.op.startswith(("dist.", "funcol."))]


PLAIN = {
    "all_reduce": "dist.all_reduce(x)",
    "broadcast": "dist.broadcast(x, 0)",
    "all_gather": "dist.all_gather([torch.zeros(2)], x)",
    "all_to_all_single": "dist.all_to_all_single(torch.zeros(2), x)",
    "reduce_scatter": "dist.reduce_scatter(torch.zeros(2), [x])",
}


@pytest.mark.parametrize("name", PLAIN)
def test_one_says_its_group_its_operation_and_its_bytes(name: str) -> None:
    import torch.distributed as dist

    with tv.record() as log:
        x = torch.zeros(2)
        eval(PLAIN[name], {"dist": dist, "torch": torch, "x": x})
    operation = {"operation": "sum"} if "reduce" in name else {}
    assert collectives(log) == [(f"dist.{name}", WORLD | operation | {"in_place": True})]


@pytest.mark.parametrize(("operation", "told"), [("MAX", "max"), ("PRODUCT", "product"), ("MIN", "min")])
def test_the_operation_is_that_of_the_call(operation: str, told: str) -> None:
    import torch.distributed as dist

    with tv.record() as log:
        dist.all_reduce(torch.zeros(2), op=getattr(dist.ReduceOp, operation))
    assert [each["operation"] for _, each in collectives(log)] == [told]


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_one_that_autograd_follows_is_an_op_and_so_is_that_of_its_gradient() -> None:
    import torch.distributed as dist
    import torch.distributed.nn.functional as followed

    with tv.record() as log:
        x = torch.ones(2, requires_grad=True)
        followed.all_reduce(x * 2.0, group=dist.group.WORLD).sum().backward()
    assert collectives(log) == [
        ("dist.nn.all_reduce", WORLD | {"operation": "sum"}),
        ("dist.all_reduce", WORLD | {"operation": "sum", "in_place": True}),
    ]
    [forward] = [at for at, each in log.of_kind(OpRecorded).items() if each.op == "dist.nn.all_reduce"]
    [backward] = [at for at, each in log.of_kind(OpSkipped).items() if each.op == "dist.all_reduce"]
    [end] = log.of_kind(BackwardFinished)
    assert forward < backward < end


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_those_that_distributed_tensors_are_made_of_are_ops() -> None:
    import torch.distributed as dist
    from torch.distributed import _functional_collectives as funcol

    with tv.record() as log:
        x = torch.ones(2, requires_grad=True)
        funcol.all_gather_tensor_autograd(x * 2.0, 0, dist.group.WORLD).sum().backward()
        funcol.all_reduce(torch.ones(2), "sum", dist.group.WORLD).sum()
    told = [each for each in collectives(log) if each[0] != "funcol.wait_tensor"]
    assert told[0][1] == WORLD
    assert told[-1] == ("funcol.all_reduce", WORLD | {"operation": "sum"})
    assert x.grad.tolist() == [2.0, 2.0]
