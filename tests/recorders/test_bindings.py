"""What a program's variables call its tensors is what the log calls those that no line named."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import tapeviz as tv


def names(log: tv.EventLog) -> set[str | None]:
    return {row.name for row in log.tensors}


def test_a_leaf_from_before_the_recording_has_the_name_of_its_variable() -> None:
    (weight,) = [tv.constant(each) for each in [2.0]]
    with tv.record() as log, tv.GradientTape() as tape:
        tape.watch(weight)
        weight * 3.0
    assert "weight" in names(log)


def test_the_name_of_the_line_counts_first() -> None:
    with tv.record() as log:
        first = tv.constant(2.0)
        again = first
        again * 3.0
    assert "first" in names(log)
    assert "again" not in names(log)


(of_the_module,) = [tv.constant(each) for each in [2.0]]


def test_a_leaf_of_the_module_has_its_name_there() -> None:
    (nearer,) = [of_the_module]
    with tv.record() as log:
        nearer * 3.0
    assert {"nearer"} == names(log) - {None}
    del nearer
    with tv.record() as log:
        of_the_module * 3.0
    assert {"of_the_module"} == names(log) - {None}


def test_private_names_are_none() -> None:
    _hidden, shown = map(tv.constant, [2.0, 3.0])
    with tv.record() as log:
        _hidden * shown
    assert "_hidden" not in names(log)
    assert "shown" in names(log)


@pytest.mark.torch
def test_a_tensor_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    depth = torch.ones((), requires_grad=True)

    def sink(x: Any) -> Any:
        return x**2

    with tv.record() as log:
        sink(depth).backward()
    assert "depth" in names(log)
    assert log.tensors[log.id_of(depth)].name == "depth"


@pytest.mark.torch
def test_a_loop_over_parameters_names_none_of_them() -> None:
    torch = pytest.importorskip("torch")
    first, second = (torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)) for _ in range(2))
    with tv.record() as log:
        (first(torch.ones(3, 2)) + second(torch.ones(3, 2))).sum().backward()
        for parameter in first.parameters():
            parameter.grad.norm()
    called = {log.tensors[log.id_of(each)].name for each in first.parameters()}
    assert called == {f"first.{name}" for name, _ in first.named_parameters()}


@pytest.mark.torch
def test_what_is_in_a_module_that_is_never_called_has_its_name_there() -> None:
    torch = pytest.importorskip("torch")

    class Net(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.w = torch.nn.Parameter(torch.ones(2))
            self.parts = torch.nn.ParameterList([torch.nn.Parameter(torch.ones(2))])

    with tv.record() as log:
        net, norm = Net(), torch.nn.BatchNorm1d(2)
        x = torch.ones(2, requires_grad=True)
        x.sum().backward()
        held = [net.w, net.parts[0], norm.weight, norm.running_mean]
        for each in held:
            each.grad  # noqa: B018 (the log is to hear of it)
    called = [log.tensors[log.id_of(each)].name for each in held]
    assert called == ["net.w", "net.parts.0", "norm.weight", "norm.running_mean"]


def test_what_locals_gave_the_program_stays() -> None:
    def train(rate: float) -> dict[str, Any]:
        settings = locals()
        with tv.record():
            tv.Variable(1.0) * rate
        return settings

    assert train(2.0)["rate"] == 2.0


@pytest.mark.torch
def test_nothing_is_kept_alive() -> None:
    torch = pytest.importorskip("torch")
    big = torch.ones(3)
    gone = weakref.ref(big)
    with tv.record(values="none"):
        big * 2.0
    del big
    gc.collect()
    assert gone() is None
