"""Passes that go by the plan of an earlier one: the same log as with a sweep's own hooks on the nodes."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events.values import readable
from tests.diagnosis.random_torch import program
from tests.recorders.torch.trainings import TRAININGS

torch = pytest.importorskip("torch")
from tapeviz.recorders.torch.backward.planned import PassPlans, PlannedSweep, remembered  # noqa: E402  # it imports PyTorch

pytestmark = pytest.mark.torch


def changed_after_it_was_saved() -> None:
    w = torch.ones(3, requires_grad=True)
    h = (w * 2).exp()
    loss = (h * h).sum() * 3
    h.add_(1.0)
    loss.backward()


def without_a_derivative() -> None:
    w = torch.ones(3, requires_grad=True)
    (((w * 2) // 2) * w.exp()).sum().backward()


def a_second_time() -> None:
    w = torch.ones(3, requires_grad=True)
    h = w.exp()
    h.sum().backward()
    (h * 2).sum().backward()


def weights_of_two_layers() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh())
    x = torch.ones(2, 3)
    for _ in range(2):
        net(net(net(x))).sum().backward()


def an_optimizer_in_a_hook() -> None:
    w = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    w.register_post_accumulate_grad_hook(lambda _: optimizer.step())
    for _ in range(2):
        (w * w).sum().backward()


class Half(torch.autograd.Function):
    """A function that sends nothing to its second argument."""

    @staticmethod
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        return x / 2 + y

    @staticmethod
    def backward(ctx: Any, *g: Any) -> Any:
        return g[0] / 2, None


def a_rule_that_gives_none() -> None:
    x, y = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    Half.apply(x * 2, y * 3).sum().backward()


def another_graph_at_every_step() -> None:
    w = torch.ones(3, requires_grad=True)
    for depth in (1, 2, 1, 2, 1, 2, 1):
        h = w
        for _ in range(depth):
            h = torch.tanh(h * w)
        (h + h).sum().backward()


def the_same_graph_of_other_tensors() -> None:
    """What is an input twice in one step is two inputs in the next."""
    v, w = torch.ones(3, requires_grad=True), torch.full((3,), 2.0, requires_grad=True)
    for x, y in ((v, w), (v, w), (v, w), (v, v), (w, v), (v, v), (v, v)):
        ((x * y).exp() + x).sum().backward()


def an_error_in_a_later_step() -> None:
    w = torch.ones(3, requires_grad=True)
    for step in range(5):
        h = (w * 2).exp()
        loss = (h * h).sum()
        if step == 4:
            h.add_(1.0)
        loss.backward()


def a_hook_in_a_later_step() -> None:
    w = torch.ones(3, requires_grad=True)
    for step in range(5):
        h = w * 2
        if step == 3:
            h.register_hook(lambda g: g * 2)
        (h.exp() * w).sum().backward()


def layers_that_share_a_weight() -> None:
    """Each of the ops has several nodes, and some send several gradients to one tensor."""
    net, x = torch.nn.MultiheadAttention(4, 2), torch.randn(3, 1, 4)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(4):
        optimizer.zero_grad()
        out, _ = net(x, x, x)
        torch.nn.functional.linear(out * out, net.out_proj.weight).square().sum().backward()
        optimizer.step()


def gradients_that_are_sparse() -> None:
    words = torch.nn.Embedding(5, 3, sparse=True)
    optimizer = torch.optim.SGD(words.parameters(), lr=0.1)
    for _ in range(4):
        optimizer.zero_grad()
        words(torch.tensor([0, 2, 2])).exp().sum().backward()
        optimizer.step()


def replicas(**options: bool) -> Callable[[], None]:
    """A wrapped model, whose gradients are changed where they are stored, in every second pass."""

    def trained() -> None:
        distributed = torch.distributed
        distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
        try:
            model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 2), **options)
            model.register_comm_hook(None, _doubled)
            for number in range(8):
                model.require_backward_grad_sync = number % 2 == 1
                model(torch.full((2, 3), number + 1.0)).square().mean().backward()
                if model.require_backward_grad_sync:
                    model.zero_grad()
        finally:
            distributed.destroy_process_group()

    return trained


def _doubled(state, bucket):  # type: ignore[no-untyped-def]  # PyTorch asks for classes, not for their names
    found: Any = torch.futures.Future()
    found.set_result(bucket.buffer() * 2.0)
    return found


def random(seed: int) -> Callable[[], None]:
    def several_times() -> None:
        code = compile(program(seed), f"random {seed}", "exec")  # anew: Python changes code that has run
        for _ in range(4):
            torch.manual_seed(seed)
            exec(code, {"torch": torch, "__name__": "random"})

    return several_times


NUMBERS = re.compile(r"(?<=tape=)\d+|(?<=run=)\d+|(?<=optimizer=)\d+|(?<=tapes=\(\()\d+")
"""Those of tapes, runs and optimizers, which go on from log to log."""
HERE = (
    without_a_derivative,
    changed_after_it_was_saved,
    a_second_time,
    gradients_that_are_sparse,
    weights_of_two_layers,
    an_optimizer_in_a_hook,
    a_rule_that_gives_none,
    another_graph_at_every_step,
    the_same_graph_of_other_tensors,
    an_error_in_a_later_step,
    a_hook_in_a_later_step,
    layers_that_share_a_weight,
)
HAS_GLOO = torch.distributed.is_available() and torch.distributed.is_gloo_available()
CASES = {
    **TRAININGS,
    **{each.__name__: each for each in HERE},
    **({"replicas": replicas(), "replicas in buckets": replicas(gradient_as_bucket_view=True)} if HAS_GLOO else {}),
    **{f"random {seed}": random(seed) for seed in range(12)},
}


def recorded(run: Callable[[], None], values: str) -> tuple[list[str], list[Any]]:
    """The events of a recording, and all values that it has."""
    torch.manual_seed(0)
    remembered.plans.clear()
    with tv.record(values=values) as log, suppress(RuntimeError):
        run()
    numbers = {each: str(at) for at, each in enumerate(dict.fromkeys(NUMBERS.findall(repr(log.events))))}
    events = [NUMBERS.sub(lambda found: numbers[found[0]], repr(each)) for each in log.events]
    known = [(at, since, readable(value)) for at in range(len(log.tensors)) for since, value in log.versions(at)]
    return events, [(*place, value.tobytes() if hasattr(value, "tobytes") else repr(value)) for *place, value in known]


@pytest.mark.parametrize("values", ["none", "kept"])
@pytest.mark.parametrize("name", sorted(CASES))
def test_the_log_is_that_of_hooks(name: str, values: str, monkeypatch: pytest.MonkeyPatch) -> None:
    planned = recorded(CASES[name], values)
    monkeypatch.setattr(PassPlans, "sweep", lambda *_: None)
    assert recorded(CASES[name], values) == planned


@pytest.mark.parametrize(
    ("name", "values", "passes"),
    [
        ("mlp", "none", 3),
        ("mlp", "kept", 1),  # the first two have hooks, and are compared with what was foreseen
        ("weights_of_two_layers", "none", 2),
        ("another_graph_at_every_step", "none", 7),
        ("another_graph_at_every_step", "kept", 3),
        ("the_same_graph_of_other_tensors", "kept", 3),
        ("layers_that_share_a_weight", "kept", 2),
        pytest.param("replicas", "kept", 4, marks=pytest.mark.skipif(not HAS_GLOO, reason="PyTorch has no gloo")),
        ("a_rule_that_gives_none", "none", 0),
        ("an_optimizer_in_a_hook", "none", 0),
    ],
)
def test_so_many_passes_go_by_a_plan(name: str, values: str, passes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the test above compares hooks with hooks."""
    found = []
    sweep = PassPlans.sweep
    monkeypatch.setattr(PassPlans, "sweep", lambda *args: found.append(sweep(*args)) or found[-1])
    recorded(CASES[name], values)
    assert sum(isinstance(each, PlannedSweep) for each in found) == passes


def test_a_plan_holds_in_the_next_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Any] = []
    sweep = PassPlans.sweep
    monkeypatch.setattr(PassPlans, "sweep", lambda *args: found.append(sweep(*args)) or found[-1])
    remembered.plans.clear()
    w = torch.ones(3, requires_grad=True)
    for _ in range(4):
        with tv.record() as log:
            (w * w).exp().sum().backward()
    assert [isinstance(each, PlannedSweep) for each in found] == [False, False, True, True]
    assert log.gradient(w).tolist() == (2 * w * (w * w).exp()).tolist()


@pytest.mark.skipif(not HAS_GLOO, reason="PyTorch has no gloo")
def test_a_hook_that_a_program_sets_on_a_leaf_while_it_is_taken_from_stays() -> None:
    met: list[Any] = []

    def hooking(weight, bucket):  # type: ignore[no-untyped-def]
        if not met:
            weight.register_hook(met.append)
        return _doubled(weight, bucket)

    distributed = torch.distributed
    distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    try:
        model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 2))
        for number in range(6):
            if number == 3:  # the runs before have been learned from
                model.register_comm_hook(model.module.weight, hooking)
            with tv.record():
                model(torch.ones(2, 3)).square().mean().backward()
        assert model.module.bias._backward_hooks is None
        assert len(met) == 2
    finally:
        distributed.destroy_process_group()
