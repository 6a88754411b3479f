"""A PyTorch program on an accelerator is recorded without waiting for it at each op: what of that is seen without one.

On the device `meta` tensors have no elements, and whoever asks for one gets an error. And the profiler sees every op
that PyTorch runs, below all modes, the recorder's own as well: if a recorded step runs nothing but aliases beyond what
a plain one runs, then it neither waits for a device (elements come to the host by `aten::item`, `aten::equal`,
`aten::is_nonzero` or a copy alone) nor gives it more to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.replay import runs
from tests.events.stored import views
from tests.recorders.recorded import recorded
from tests.recorders.torch.trainings import TRAININGS

torch = pytest.importorskip("torch")
from tapeviz.recorders.torch.values import HeldTorchTensor  # noqa: E402

pytestmark = pytest.mark.torch

ALIASES = {"aten::detach", "detach", "aten::as_strided"}
WIDE = 64
"""Large enough that no weight of a layer is among the small ones that are kept before they are overwritten."""


def training(device: str) -> Callable[[], Any]:
    """A step of a small network, the gradients clipped and one variable written in place by hand."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Linear(WIDE, WIDE, bias=False),
        torch.nn.LayerNorm(WIDE, elementwise_affine=False),
        torch.nn.ReLU(),
        torch.nn.Linear(WIDE, WIDE, bias=False),
    ).to(device)
    scale = torch.nn.Parameter(torch.ones(WIDE, WIDE, device=device))
    optimizer = torch.optim.Adam([*net.parameters(), scale], lr=0.01, foreach=True)
    x = torch.randn(WIDE, WIDE, device=device)

    def step() -> Any:
        optimizer.zero_grad()
        hidden = net(x) + net(x * scale)
        hidden = hidden * 2.0
        hidden += x
        loss = (hidden @ scale).pow(2).mean() + torch.autograd.grad(hidden.sum(), scale, create_graph=True)[0].mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        with torch.no_grad():
            scale.clamp_(-1.0, 1.0)
        return loss

    return step


@pytest.mark.parametrize("options", [{}, {"values": "none"}, {"max_bytes": 0}, {"steps": 1}], ids=str)
def test_no_element_is_asked_for(options: dict[str, Any]) -> None:
    step = training("meta")
    with tv.record(**options) as log:
        for _ in range(2):
            loss = step()
    assert loss.device.type == "meta"
    assert runs(log)[-1].gradients is not None
    kept = [value for _, value in log.versions(log.id_of(loss))]
    assert [type(each) for each in kept] == ([] if options.keys() & {"values", "max_bytes"} else [HeldTorchTensor])
    with pytest.raises(RuntimeError):
        loss.item()


def ran(step: Callable[[], Any]) -> Counter[str]:
    """How often each of PyTorch's ops ran, whoever asked for it.

    Autograd sums into a gradient that nobody else holds, and into a new one otherwise: the same op, to us.
    """
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        step()
    found: Counter[str] = Counter()
    for each in profile.key_averages():
        found["aten::add" if each.key == "aten::add_" else each.key] += each.count
    return found


@pytest.mark.parametrize("options", [{}, {"values": "none"}], ids=str)
def test_only_aliases_are_added(options: dict[str, Any]) -> None:
    step = training("cpu")
    step()
    plain = ran(step)
    with tv.record(**options) as log:
        recorded = ran(step)
    assert (recorded - plain).keys() <= ALIASES
    assert plain - recorded == Counter()
    assert len(runs(log)) == 2


READS: dict[str, Callable[[Any], Any]] = {
    "aten::item": lambda w: w.sum().item(),
    "aten::_local_scalar_dense": lambda w: float(w[0, 0]),
    "aten::is_nonzero": lambda w: bool(w[0, 0]),
    "aten::equal": lambda w: torch.equal(w, w),
    "aten::clone": lambda w: w.clone(),
    "aten::copy_": lambda w: torch.empty_like(w).copy_(w),
    "aten::_to_copy": lambda w: w.to(torch.float64),
}


@pytest.mark.parametrize("name", sorted(READS))
def test_the_profiler_sees_what_would_wait_or_copy(name: str) -> None:
    weight = torch.ones(WIDE, WIDE)
    assert name in ran(lambda: READS[name](weight))
    if name not in ("aten::clone", "aten::copy_", "aten::_to_copy"):
        with pytest.raises((RuntimeError, NotImplementedError)):
            READS[name](weight.to("meta"))


# ----- an accelerator's part of a backward pass runs in a thread of its own -----


def in_a_thread(original: Callable[..., Any]) -> Callable[..., Any]:
    """Autograd's engine, all of which runs in another thread while the program's waits for it."""

    def run(*args: Any, **kwargs: Any) -> Any:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(original, *args, **kwargs).result()

    return run


@pytest.mark.parametrize("name", sorted(TRAININGS.keys() - {"differentiated_twice"}))
def test_a_backward_pass_in_the_thread_of_a_device_is_recorded_like_any(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = recorded(TRAININGS[name])
    monkeypatch.setattr(torch.autograd, "_engine_run_backward", in_a_thread(torch.autograd._engine_run_backward))
    log = recorded(TRAININGS[name])
    assert views(log) == views(plain)


def test_nodes_that_are_made_in_the_thread_of_a_device_are_those_of_the_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """They have numbers of that thread, by which the engine chooses what comes first: the order may be another."""
    plain = recorded(TRAININGS["differentiated_twice"])
    monkeypatch.setattr(torch.autograd, "_engine_run_backward", in_a_thread(torch.autograd._engine_run_backward))
    log = recorded(TRAININGS["differentiated_twice"])
    assert [each.name for each in log.scopes] == [each.name for each in plain.scopes]
    for ours, theirs in zip(runs(log), runs(plain), strict=True):
        assert len(ours.steps) == len(theirs.steps)
        gradients = [
            [each if each is None else each_log.value(each) for each in run.gradients]
            for each_log, run in ((log, ours), (plain, theirs))
        ]
        np.testing.assert_equal(*gradients)
