"""What `torch.func` differentiates is named as the parameters of the function are."""

from __future__ import annotations

from functools import partial
from threading import Event, Thread
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.events import BackwardFinished
from tapeviz.graph import build
from tapeviz.replay import runs

torch = pytest.importorskip("torch")


def _sources(call: Any) -> list[list[str]]:
    """What the sources of each gradient call are named."""
    with tv.record() as log:
        result = call()  # which is not what they are named
    assert result is not None
    graph = build(log)
    return [[name_of(graph, source) for source in run.sources] for run in runs(log)]


def _total(w: Any, b: Any, *more: Any, scale: Any = 1.0) -> Any:
    return (w.detach() * scale).sum() + b.sum() + sum(each.sum() for each in more)


ONES = (torch.ones(3), torch.ones(2))


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda: torch.func.grad(_total, argnums=(0, 1))(*ONES), ["`w`", "`b`"]),
        (lambda: torch.func.grad_and_value(_total, argnums=1)(*ONES, scale=torch.ones(3)), ["`b`"]),
        (lambda: torch.func.grad(_total, argnums=(1, 3))(*ONES, *ONES), ["`b`", "`more[1]`"]),
        (lambda: torch.func.grad(partial(_total, ONES[0]))(ONES[1]), ["`b`"]),
        (lambda: torch.func.vjp(lambda u, v: u * v, ONES[0], ONES[0])[1](ONES[0]), ["`u`", "`v`"]),
        (lambda: torch.func.jacrev(lambda u: u * u)(ONES[0]), ["`u`"]),
        (lambda: torch.func.vmap(torch.func.grad(lambda u: (u * u).sum()))(torch.ones(4, 3)), ["`u`"]),
        (lambda: torch.func.grad(lambda p: _total(*p["w"]))({"w": ONES}), ["`p['w'][0]`", "`p['w'][1]`"]),
        (lambda: torch.func.grad(torch.sum)(ONES[0]), None),
    ],
    ids=["grad", "keyword", "variadic", "partial", "vjp", "jacrev", "vmap", "nested", "builtin"],
)
def test_a_source_is_named_as_the_parameter_is(call: Any, names: list[str] | None) -> None:
    found = _sources(call)
    assert len(found) == 1
    assert found[0] == names or names is None


def test_weights_of_a_module_go_by_its_name() -> None:
    model = torch.nn.Linear(3, 1)
    weights = dict(model.named_parameters())

    def loss(weights: Any, x: Any) -> Any:
        return torch.func.functional_call(model, weights, (x,)).sum()

    assert _sources(lambda: torch.func.grad(loss)(weights, torch.ones(3))) == [["`model.weight`", "`model.bias`"]]


def test_the_second_derivative_too() -> None:
    twice = torch.func.grad(torch.func.grad(lambda u: u**3))
    assert _sources(lambda: twice(torch.tensor(2.0))) == [["`u`"], ["`u`"]]


def _loss(w: Any, b: Any) -> Any:
    return (w.detach() * 2.0).sum() + b.sum()


@pytest.mark.parametrize(
    "loss", [_loss, lambda w, b: w.detach().sum()], ids=["another arrives", "nothing requires one"]
)
def test_zeros_in_the_place_of_none_are_told(loss: Any) -> None:
    with tv.record() as log:
        slope, _ = torch.func.grad(loss, argnums=(0, 1))(*ONES)
    assert slope.tolist() == [0.0, 0.0, 0.0]
    [finding] = [each for each in tv.diagnose(log) if "`w`" in each.message]
    assert finding.cause == "stop_gradient"
    assert "`w` gets zeros in the place of None" in finding.message


def test_autograd_says_none_again_afterwards() -> None:
    with tv.record() as log:
        torch.func.grad(_loss)(*ONES)
        w, b = (each.clone().requires_grad_() for each in ONES)
        assert torch.autograd.grad(_loss(w, b), [w, b], allow_unused=True)[0] is None
    assert [each.zeros for each in log.events if isinstance(each, BackwardFinished)] == [True, False]


def test_a_recording_in_another_thread_takes_no_name_away() -> None:
    begun, done = Event(), Event()

    def other() -> None:
        with tv.record():
            begun.set()
            done.wait(60)

    with tv.record() as log:
        thread = Thread(target=other)
        thread.start()
        begun.wait(60)
        torch.func.grad(lambda u: (u * u).sum())(ONES[0])
        done.set()
        thread.join()
    graph = build(log)
    assert [[name_of(graph, source) for source in run.sources] for run in runs(log)] == [["`u`"]]
