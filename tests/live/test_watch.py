"""`tv.watch()`: what it says and when, that it says nothing of what is well, and that the program stays the same."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.events import BackwardFinished
from tapeviz.live.watch import Watch

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

STEPS = 40


@pytest.fixture
def watching(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)  # torch.distributed may have left one of its own
    made = tv.watch()
    yield made
    made.stop()


def train(odd: Callable[[int, Any, Any], Any] = lambda step, net, x: net(x).square().mean()) -> list[Any]:
    """A small training whose loss is `odd`; the weights at its end."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(net.parameters(), 0.01)
    for step in range(STEPS):
        optimizer.zero_grad()
        odd(step, net, torch.randn(16, 4)).backward()
        optimizer.step()
    return [each.detach().numpy() for each in net.parameters()]


def nan(step: int, net: Any, x: Any) -> Any:
    return (net(x) * 0.0).sqrt().sum() * 0.0 if step == 30 else net(x).square().mean()


def inf(step: int, net: Any, x: Any) -> Any:
    return (net(x) * 0.0).sqrt().sum() if step == 30 else net(x).square().mean()


def spike(step: int, net: Any, x: Any) -> Any:
    return net(x).square().mean() * (1e6 if step == 35 else 1.0)


def none(step: int, net: Any, x: Any) -> Any:
    w = torch.ones(1, requires_grad=True)
    loss = net(x).square().mean()
    torch.autograd.grad(loss, [net[0].weight, w], retain_graph=True, allow_unused=True)
    return loss


TOLD = {nan: "[domain_edge]", inf: "[domain_edge]", spike: "are a spike", none: "[unused_source]"}


@pytest.mark.parametrize("odd", TOLD, ids=lambda odd: odd.__name__)
def test_what_is_wrong_is_said_once_and_the_program_goes_on(
    odd: Any, watching: Watch, capfd: pytest.CaptureFixture[str]
) -> None:
    weights = train(odd)
    said = capfd.readouterr().err
    assert said.count("tapeviz: ") == said.count(TOLD[odd]) == 1
    watching.stop()
    assert capfd.readouterr().err == ""
    for mine, plain in zip(weights, train(odd), strict=True):
        np.testing.assert_array_equal(mine, plain)


def test_nothing_is_said_of_what_is_well(watching: Watch, capfd: pytest.CaptureFixture[str]) -> None:
    weights = train()
    watching.stop()
    assert capfd.readouterr() == ("", "")
    for mine, plain in zip(weights, train(), strict=True):
        np.testing.assert_array_equal(mine, plain)


def test_a_loss_that_a_scaler_scales_too_far_is_well(watching: Watch, capfd: pytest.CaptureFixture[str]) -> None:
    """The scaler tries factors until the gradients are finite, and skips the steps that are not."""
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**40)
    w = torch.ones(4, requires_grad=True)
    optimizer = torch.optim.SGD([w], 0.1)
    skipped = 0
    for _ in range(STEPS):
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.float16):
            loss = torch.nn.functional.linear(torch.ones(2, 4), w.view(1, 4)).square().mean()
        scaler.scale(loss).backward()
        skipped += not w.grad.isfinite().all()
        scaler.step(optimizer)
        scaler.update()
    watching.stop()
    assert skipped > 2
    assert capfd.readouterr().err == ""


def test_a_half_that_overflows_without_a_scaler_is_told(watching: Watch, capfd: pytest.CaptureFixture[str]) -> None:
    w = torch.ones(4, requires_grad=True)
    optimizer = torch.optim.SGD([w], 0.1)
    for factor in (1.0, 1e5):
        optimizer.zero_grad()
        (w.half() * torch.full((4,), 3.0, dtype=torch.float16) * factor).sum().backward()
        optimizer.step()
    assert capfd.readouterr().err.count("tapeviz: error") == 1


def test_an_error_that_ends_the_program_has_its_finding_below(
    watching: Watch, capfd: pytest.CaptureFixture[str]
) -> None:
    w = torch.ones(2, requires_grad=True)
    loss = w.square().sum()
    loss.backward()
    with pytest.raises(RuntimeError) as caught:
        loss.backward()
    sys.excepthook(RuntimeError, caught.value, caught.value.__traceback__)
    shown, _, said = capfd.readouterr().err.partition("tapeviz: error: The graph was used up")
    assert "loss.backward()" in shown
    assert "recorders" not in shown
    assert "retain_graph=True" in said


def test_another_error_is_shown_as_ever(watching: Watch, capfd: pytest.CaptureFixture[str]) -> None:
    train()
    error = KeyError("name")
    sys.excepthook(KeyError, error, None)
    assert capfd.readouterr().err == "KeyError: 'name'\n"


def test_what_it_changes_is_changed_back() -> None:
    hook = sys.excepthook
    first = tv.watch()
    second = tv.watch()
    assert (first.is_on, second.is_on) == (False, True)
    assert repr(second).startswith("<Watch: on, <EventLog")
    second.stop()
    assert sys.excepthook is hook
    assert tv.record.flight_recorders == []


def test_what_the_program_sets_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    watching = tv.watch()
    theirs = sys.excepthook = lambda *_: None
    watching.stop()
    assert sys.excepthook is theirs


def test_the_last_steps_are_kept_and_no_more(watching: Watch) -> None:
    train()
    size = len(watching.log.raw)
    assert 3 <= sum(isinstance(each, BackwardFinished) for each in watching.log.events) <= 7
    for _ in range(4):
        train()
    assert len(watching.log.raw) < 2 * size
    assert tv.draw(watching).text.startswith("<svg")


def test_a_recording_that_the_program_asks_for_has_a_log_of_its_own(
    watching: Watch, capfd: pytest.CaptureFixture[str]
) -> None:
    train()
    with tv.record() as log, tv.record() as inner:
        train(nan)
    assert inner is log is not watching.log
    assert len(log.of_kind(BackwardFinished)) == STEPS
    assert capfd.readouterr().err == ""
    train(nan)
    assert "[domain_edge]" in capfd.readouterr().err


def test_a_tape_of_tapeviz_has_a_log_of_its_own(watching: Watch) -> None:
    x = tv.Variable(2.0)
    with tv.GradientTape() as tape:
        y = x * x
    assert tape.log is not watching.log
    assert float(tape.gradient(y, x)) == 4.0


def test_that_it_cannot_say_what_is_wrong_ends_no_program(
    watching: Watch, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def explain(log: Any, reason: str) -> str:
        raise ValueError("a mistake of tapeviz's")

    monkeypatch.setattr("tapeviz.recorders.alarm.Alarm.explain", staticmethod(explain))
    train(nan)
    assert capfd.readouterr().err.count("could not look at the gradients: ValueError: a mistake of tapeviz's") == 1


def test_without_values_a_missing_gradient_is_seen(capfd: pytest.CaptureFixture[str]) -> None:
    watching = tv.watch(values="none")
    train(none)
    watching.stop()
    assert capfd.readouterr().err.count("[unused_source]") == 1


@pytest.mark.parametrize(("wrong", "error"), [({"steps": 0}, ValueError), ({"values": "all"}, ValueError)])
def test_wrong_options_are_told_at_once(wrong: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        tv.watch(**wrong)
    assert tv.record.flight_recorders == []
