"""Faults in what is compiled: the findings are those of the same program, run eagerly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events import OpRecorded
from tapeviz.phrases import COMPILED

torch = pytest.importorskip("torch")

from tests.recorders.torch.compiled_faults import FAULTS  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.slow]


@pytest.fixture(autouse=True)
def _anew() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def _recorded(name: str, functions: str) -> tv.EventLog:
    torch._dynamo.reset()
    torch.manual_seed(0)
    with tv.record(functions=functions) as log:
        FAULTS[name](lambda function: torch.compile(function, backend="aot_eager"))
    return log


def _findings(log: tv.EventLog) -> list[tuple[Any, ...]]:
    return [(each.cause, each.severity, each.site) for each in tv.diagnose(log)]


@pytest.mark.parametrize("name", FAULTS)
def test_a_compiled_program_has_the_findings_of_an_eager_one(name: str) -> None:
    expected, log = _findings(_recorded(name, "eager")), _recorded(name, "graph")
    assert expected
    assert _findings(log) == expected
    assert not any(each.op.endswith(COMPILED) for each in log.of_kind(OpRecorded).values())


def _item(net: Any, x: Any) -> Any:
    h = net(x).square().mean()
    return torch.tensor(h.item(), requires_grad=True) * 2


def _broken(net: Any, x: Any) -> Any:
    h = net(x).square().mean()
    torch._dynamo.graph_break()
    return torch.ones(h.shape, requires_grad=True) * 2


@pytest.mark.parametrize(
    ("function", "cause", "says"),
    [(_item, "left_to_numpy", "`.item()` at"), (_broken, "unused_source", "is not used by what is seen: nothing is")],
)
def test_what_runs_between_two_graphs_is_not_said_to_be_unused(function: Any, cause: str, says: str) -> None:
    net, x = torch.nn.Linear(2, 1), torch.ones(3, 2)
    with tv.record() as log:
        torch.compile(function, backend="eager")(net, x).backward()
        net.weight.grad  # noqa: B018
    [found] = tv.diagnose(log)
    assert found.cause == cause
    assert says in found.message
