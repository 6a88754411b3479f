"""Passes that are noted when they have ended: the same log as with a hook on every node."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

import tapeviz as tv
from tests.diagnosis.random_torch import program
from tests.recorders.torch.trainings import TRAININGS

torch = pytest.importorskip("torch")
from tapeviz.recorders.torch.backward import sweep  # noqa: E402  # it imports PyTorch

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


def random(seed: int) -> Callable[[], None]:
    code = compile(program(seed), f"random {seed}", "exec")
    return lambda: exec(code, {"torch": torch, "__name__": "random"})


NUMBERS = re.compile(r"(?<=tape=)\d+|(?<=run=)\d+|(?<=optimizer=)\d+|(?<=tapes=\(\()\d+")
"""Those of tapes, runs and optimizers, which go on from log to log."""
HERE = (
    without_a_derivative,
    changed_after_it_was_saved,
    a_second_time,
    weights_of_two_layers,
    an_optimizer_in_a_hook,
    a_rule_that_gives_none,
)
CASES = {
    **TRAININGS,
    **{each.__name__: each for each in HERE},
    **{f"random {seed}": random(seed) for seed in range(12)},
}


def events(run: Callable[[], None]) -> list[str]:
    torch.manual_seed(0)
    with tv.record(values="none") as log, suppress(RuntimeError):
        run()
    numbers = {each: str(at) for at, each in enumerate(dict.fromkeys(NUMBERS.findall(repr(log.events))))}
    return [NUMBERS.sub(lambda found: numbers[found[0]], repr(each)) for each in log.events]


@pytest.mark.parametrize("name", sorted(CASES))
def test_the_log_is_that_of_hooks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    replayed = events(CASES[name])
    monkeypatch.setattr(sweep, "is_foreseen", lambda *_: False)
    assert events(CASES[name]) == replayed


def test_a_pass_is_foreseen() -> None:
    """Otherwise the test above compares hooks with hooks."""
    found = []
    is_foreseen = sweep.is_foreseen

    def asking(*args: Any) -> bool:
        found.append(is_foreseen(*args))
        return found[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "is_foreseen", asking)
        for run in (TRAININGS["mlp"], weights_of_two_layers, a_rule_that_gives_none, an_optimizer_in_a_hook):
            events(run)
    assert found == [True] * 5 + [False] * 3
