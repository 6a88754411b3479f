"""A program with a function mode of its own: the mode is told of the program's calls and of nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events.types import OpRecorded
from tests.recorders.torch_trainings import TRAININGS

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


class Listening(torch.overrides.TorchFunctionMode):
    """Writes down what it is told of, and passes it on."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.heard.append(torch.overrides.resolve_name(func) or func.__name__)
        return func(*args, **(kwargs or {}))


def plain(program: Callable[[], None]) -> list[str]:
    with Listening() as mode:
        program()
    return mode.heard


def around(program: Callable[[], None]) -> list[str]:
    with Listening() as mode, tv.record():
        program()
    return mode.heard


def inside(program: Callable[[], None]) -> list[str]:
    with tv.record(), Listening() as mode:
        program()
    return mode.heard


class Scaled(torch.nn.Module):
    """A layer with a buffer of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("scale", torch.tensor(2.0))
        self.weight = torch.nn.Parameter(torch.ones(3))

    def forward(self, x: Any) -> Any:
        return x * self.weight * self.scale


def optimized() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(3, 3), Scaled())
    optimizer = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
    for _ in range(3):
        optimizer.zero_grad()
        net(torch.ones(2, 3)).square().sum().backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
    net[1].weight.grad.norm().item()


PROGRAMS = {**TRAININGS, "optimized": optimized}
ENTERED = {"mlp", "convolution", "attention", "indexed", "losses"}
"""They call functions that PyTorch has in Python: a mode around hears of what those call, too, in their place."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_mode_hears_what_it_hears_without_recording(name: str) -> None:
    assert inside(PROGRAMS[name]) == plain(PROGRAMS[name])


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - ENTERED))
def test_a_mode_around_hears_the_same(name: str) -> None:
    assert around(PROGRAMS[name]) == plain(PROGRAMS[name])


def test_an_op_is_at_the_line_of_the_program_not_of_its_mode() -> None:
    with tv.record() as log, Listening():
        torch.ones(2, requires_grad=True).exp()
    (op,) = (each for each in log.events if isinstance(each, OpRecorded))
    assert op.site is not None
    assert log.sites[op.site].text.strip() == "torch.ones(2, requires_grad=True).exp()"


def test_a_default_device_is_asked_of_what_the_program_calls_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch.utils._device import DeviceContext

    asked: list[Any] = []
    listed = DeviceContext.__torch_function__

    def noted(self: Any, func: Any, *rest: Any, **more: Any) -> Any:
        asked.append(func)
        return listed(self, func, *rest, **more)

    monkeypatch.setattr(DeviceContext, "__torch_function__", noted)
    torch.set_default_device("cpu")
    try:
        with tv.record():
            (torch.ones(2, requires_grad=True) * 3.0).sum().backward()
    finally:
        torch.set_default_device(None)
    assert [each.__name__ for each in asked if each is not torch.set_default_device] == [
        "ones",
        "mul",
        "sum",
        "backward",
    ]
