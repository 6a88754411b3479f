"""What is inside of a compiled graph is computed when a reader asks, from what the log has kept; else it is one op."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.events import EventLog, NodeTraced, OpRecorded, VjpApplied
from tapeviz.phrases import COMPILED

torch = pytest.importorskip("torch")

from tapeviz.recorders.torch.compiled.nodes import NodeRunner, reached_in  # noqa: E402
from tests.processes import distributed  # noqa: E402

pytestmark = pytest.mark.torch
WHOLE = f"_net{COMPILED}"
INSIDE = ["matmul", "tanh", "reduce_sum"]


def _net(w: Any, x: Any) -> Any:
    return torch.tanh(x @ w).sum()


@pytest.fixture(scope="module")
def net() -> Iterator[Any]:
    """The function, compiled once for all tests here."""
    torch._dynamo.reset()
    yield torch.compile(_net, backend="aot_eager", dynamic=False)
    torch._dynamo.reset()


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The runs of a graph, node by node."""
    found: list[Any] = []
    run: Callable[..., Any] = NodeRunner.run

    def counted(self: Any, *args: Any) -> Any:
        found.append(self)
        return run(self, *args)

    monkeypatch.setattr(NodeRunner, "run", counted)
    return found


def _inputs() -> tuple[Any, Any]:
    torch.manual_seed(0)
    return torch.randn(40, 40, requires_grad=True), torch.randn(2, 40)


def _ops(log: EventLog) -> list[str]:
    return [each.op for each in log.of_kind(OpRecorded).values()]


def test_nothing_is_computed_again_while_the_program_runs_and_for_all_readers_once(
    net: Any, runs: list[Any], tmp_path: Path
) -> None:
    w, x = _inputs()
    with tv.record() as log:
        for _ in range(3):
            net(w, x).backward()
    assert not runs
    assert _ops(log) == INSIDE * 3
    assert not tv.diagnose(log)
    tv.save(log, tmp_path / "log")
    assert len(runs) == 3
    assert len(log.of_kind(VjpApplied)) == 9
    assert list(tv.load(tmp_path / "log").events) == list(log.events)


def test_the_numbers_inside_are_those_of_an_eager_program(net: Any) -> None:
    w, x = _inputs()
    with tv.record() as log:
        net(w, x).backward()
    with tv.record() as eager:
        _net(w, x).backward()
    for each in (OpRecorded, VjpApplied):
        ours, theirs = (list(found.of_kind(each).values()) for found in (log, eager))
        assert len(ours) == len(theirs) == 3
        for one, other in zip(ours, theirs, strict=True):
            made = [getattr(event, "outputs", None) or event.cotangents for event in (one, other)]
            for here, there in zip(*made, strict=True):
                if here is not None:
                    np.testing.assert_allclose(log.value(here), eager.value(there), rtol=1e-5, atol=1e-6)


def test_what_an_optimizer_writes_to_is_copied_before(net: Any) -> None:
    w, x = _inputs()
    first = torch.tanh(x @ w).detach()
    optimizer = torch.optim.SGD([w], lr=0.1)
    with tv.record() as log:
        for _ in range(2):
            for _ in range(2):
                net(w, x).backward()
            optimizer.step()
    assert _ops(log) == INSIDE * 4
    tanh = next(each for each in log.of_kind(OpRecorded).values() if each.op == "tanh")
    np.testing.assert_allclose(log.value(tanh.outputs[0]), first, rtol=1e-5)


def test_what_was_changed_out_of_sight_leaves_one_op_with_its_border_and_what_the_compiler_traced(net: Any) -> None:
    w, x = _inputs()
    with tv.record() as log:
        torch._dynamo.reset()
        loss = torch.compile(_net, backend="aot_eager")(w, x)
        loss.backward()
    with torch.no_grad():
        w.mul_(2.0)
    assert _ops(log) == [WHOLE]
    assert log.value(log.id_of(loss)) == loss.item()
    (pulled,) = log.of_kind(VjpApplied).values()
    (arrived,) = [each for each in pulled.cotangents if each is not None]
    assert np.array_equal(log.value(arrived), w.grad)
    assert {each.part for each in log.of_kind(NodeTraced).values()} == {"forward", "backward"}
    assert not tv.diagnose(log)


def test_what_the_budget_has_taken_leaves_one_op(net: Any, runs: list[Any]) -> None:
    w, x = _inputs()
    optimizer = torch.optim.SGD([w], lr=0.1)
    with tv.record(max_bytes=60_000) as log:
        for _ in range(8):
            net(w, x).backward()
            optimizer.step()
    assert _ops(log)[0] == WHOLE
    assert _ops(log)[-3:] == INSIDE
    assert 0 < len(runs) < 8


@pytest.mark.parametrize("options", [{"values": "norms"}, {"values": "none"}, {"max_bytes": 10_000}])
def test_a_log_that_cannot_keep_what_it_needs_has_the_inside_at_once(
    net: Any, runs: list[Any], options: dict[str, Any]
) -> None:
    w, x = _inputs()
    with tv.record(**options) as log:
        net(w, x).backward()
        assert len(runs) == 1
    assert _ops(log) == INSIDE


def test_a_log_may_be_read_in_the_middle_and_go_on(net: Any, runs: list[Any]) -> None:
    w, x = _inputs()
    with tv.record() as log:
        loss = net(w, x)
        assert "no gradient" not in str(tv.why(log, loss, w))
        assert _ops(log) == INSIDE
        loss.backward()
        assert len(log.of_kind(VjpApplied)) == 3
        net(w, x).backward()
        (w * 2.0).sum()
    assert len(log.of_kind(VjpApplied)) == 6
    assert _ops(log) == [*INSIDE, *INSIDE, "mul", "reduce_sum"]
    assert len(runs) == 2


def test_a_reader_with_autograd_and_autocast_otherwise_switched_gets_the_same(net: Any) -> None:
    w, x = _inputs()
    with tv.record() as log:
        loss = net(w, x)
        loss.backward()
    state = torch.get_rng_state()
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        assert _ops(log) == INSIDE
    assert torch.equal(torch.get_rng_state(), state)
    assert len(log.of_kind(VjpApplied)) == 3
    assert {each.dtype for each in log.tensors} == {"float32"}


def test_a_loop_without_end_keeps_what_its_last_steps_are_computed_from(net: Any, runs: list[Any]) -> None:
    w, x = _inputs()
    with tv.record(steps=1) as log:
        for _ in range(6):
            net(w, x).backward()
    assert _ops(log)[-3:] == INSIDE
    assert len(runs) < 6


def _frozen(x: Any, y: Any) -> Any:
    with torch.no_grad():
        z = x * 2.0
    return z * y


@pytest.mark.parametrize(
    ("function", "reached"),
    [
        (lambda x_, y_: x_.detach() * y_, {1}),
        (_frozen, {0, 1}),  # symbolic tracing sees no `no_grad`
        (lambda x, y: x.mul_(y), {0, 1}),
        (lambda x, y: x, {0}),
    ],
)
def test_where_gradients_may_arrive_is_read_off_a_graph(function: Any, reached: set[int]) -> None:
    assert reached_in(torch.fx.symbolic_trace(function)) == reached


LATE = """
import sys
import torch, torch._dynamo
import tapeviz as tv
from tapeviz.events import GraphTraced, NodeTraced

TRACER = "torch._dynamo.backends.common"
with tv.record() as log:
    assert TRACER not in sys.modules
    x = torch.ones(2, requires_grad=True)
    torch.compile(lambda x: x.sin().exp().sum(), backend="aot_eager")(x).backward()
assert TRACER in sys.modules
parts = {each.part for each in log.of_kind(NodeTraced).values()}
print(len(log.of_kind(GraphTraced)), parts == {"forward", "backward"})
"""


def test_the_tracer_is_waited_for_where_only_the_compiler_is_imported(tmp_path: Path) -> None:
    """As DistributedDataParallel imports that, which compiles nothing: the tracer would take seconds."""
    (tmp_path / "late.py").write_text(LATE)
    done = distributed().start(tmp_path, "late.py")
    assert done.stdout == b"1 True\n", done.stderr.decode()
