"""Compiled functions that stay compiled: results and gradients are those without a recording, bit by bit."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events import EventLog, NodeTraced, OpRecorded
from tapeviz.phrases import COMPILED
from tests.sampling import sample

torch = pytest.importorskip("torch")

from tests.recorders.torch.compiled_programs import HEALTHY, ODD, Model  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.slow]
ALL = {**HEALTHY, **ODD}
BACKENDS = {"aot_eager": 8, "inductor": 2}
"""How many models are tried with each."""


@pytest.fixture(autouse=True)
def _anew() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


class Trained:
    """A model that has been trained for some steps: all numbers, and how much was compiled for that."""

    def __init__(self, model: Model, backend: str, steps: int = 3, before: int = 0) -> None:
        torch._dynamo.reset()
        torch._dynamo.utils.counters.clear()
        torch.manual_seed(0)
        self.module, self.inputs = model()
        self.compiled = torch.compile(self.module, backend=backend)
        wanted = [each for each in self.module.parameters() if each.requires_grad]
        self.optimizer = torch.optim.SGD(wanted, lr=0.01, momentum=0.9, weight_decay=0.1)
        self.numbers: list[Any] = []
        for _ in range(before):
            self.step()

    def step(self) -> None:
        self.optimizer.zero_grad()
        found = self.compiled(*self.inputs)
        outputs = found if isinstance(found, tuple) else (found,)
        loss = sum((each.float() * torch.linspace(0.5, 1.5, each.numel()).view_as(each)).mean() for each in outputs)
        loss.backward()
        leaves = [each for each in (*self.module.parameters(), *self.inputs) if each.requires_grad]
        self.numbers += [*outputs, loss, *(each.grad for each in leaves)]
        self.optimizer.step()
        self.numbers += [*self.module.parameters(), *self.module.buffers()]
        self.numbers = [each if each is None else each.detach().clone() for each in self.numbers]

    @property
    def compilations(self) -> dict[str, Any]:
        counters = torch._dynamo.utils.counters
        return {name: dict(counters[name]) for name in ("stats", "frames", "graph_break")}


def _equal(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    return one.dtype is other.dtype and torch.equal(torch.nan_to_num(one), torch.nan_to_num(other))


def _recorded(model: Model, backend: str, before: int = 0) -> tuple[Trained, EventLog]:
    """The model trained in a recording, and its log; some steps come `before` it."""
    trained = Trained(model, backend, before=before)
    with tv.record(functions="graph") as log:
        for _ in range(3 - before):
            trained.step()
    return trained, log


def _alone(model: Model, backend: str) -> Trained:
    trained = Trained(model, backend)
    for _ in range(3):
        trained.step()
    return trained


def _cases() -> list[Any]:
    return [
        pytest.param(name, backend, id=f"{backend}-{name}")
        for backend, most in BACKENDS.items()
        for name in sample(ALL, most, lambda each, backend=backend: f"{backend} {each}")
    ]


def _require(backend: str) -> None:
    if backend == "inductor" and shutil.which("g++") is None:
        pytest.skip("inductor needs a C++ compiler, and there is no g++")


@pytest.mark.parametrize(("name", "backend"), _cases())
@pytest.mark.parametrize("before", [0, 1])
def test_a_recording_changes_nothing_of_what_is_compiled(name: str, backend: str, before: int) -> None:
    _require(backend)
    alone = _alone(ALL[name], backend)
    expected, compilations = alone.numbers, alone.compilations
    trained, log = _recorded(ALL[name], backend, before)
    assert len(trained.numbers) == len(expected)
    assert all(map(_equal, trained.numbers, expected))
    assert trained.compilations == compilations
    assert any(type(each) is OpRecorded and each.op.endswith(COMPILED) for each in log.events)
    if name in HEALTHY:
        assert not tv.diagnose(log), tv.diagnose(log)


@pytest.mark.parametrize("name", sample(ALL, 8, lambda each: f"nodes of {each}"))
def test_nearly_every_node_on_the_way_back_is_at_a_forward_op_and_at_a_line(name: str) -> None:
    _, log = _recorded(ALL[name], "aot_eager")
    nodes = log.of_kind(NodeTraced).values()
    back = [each for each in nodes if each.part == "backward"]
    assert back
    assert sum(each.of is not None and each.site is not None for each in back) >= 0.95 * len(back)
    places = {each.filename.rpartition("/")[2] for each in (log.sites[node.site] for node in back if node.site)}
    assert places <= {"compiled_programs.py", "container.py"}, places
