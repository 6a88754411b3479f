"""A program with a function mode of its own: the mode is told of the program's calls and of nothing else."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any, ClassVar

import pytest

import tapeviz as tv
from tapeviz.events.types import OpRecorded
from tests.recorders.torch.trainings import TRAININGS

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


def test_what_was_compiled_before_is_looked_at_unheard() -> None:
    torch.compile(lambda x: x.sin().sum(), backend="aot_eager")(torch.ones(2, requires_grad=True))
    assert around(TRAININGS["one_neuron"]) == plain(TRAININGS["one_neuron"])


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


# ----- classes that act as tensors -----


class TimesMatrix:
    """A number times a matrix, as linear operators are written: no tensor, but PyTorch's functions take it as one."""

    def __init__(self, factor: float, matrix: Any) -> None:
        self.factor = factor
        self.matrix = matrix

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.linalg.inv:
            return NotImplemented
        plain = [torch.mul(each.matrix, each.factor) if isinstance(each, cls) else each for each in args]
        return func(*plain, **(kwargs or {}))


LIKES: dict[str, tuple[Callable[[Any, Any], Any], list[str]]] = {
    "a function in C": (lambda w, x: torch.matmul(x, TimesMatrix(2.0, w)), ["mul", "matmul"]),
    "an operator": (lambda w, x: x + TimesMatrix(2.0, w), ["mul", "add"]),
    "a function in Python": (
        lambda w, x: torch.nn.functional.softmax(TimesMatrix(2.0, w), dim=0) * x,
        ["mul", "softmax", "mul"],
    ),
    "one that is one op": (lambda w, x: torch.nn.functional.mse_loss(TimesMatrix(2.0, w), x), ["mul", "mse_loss"]),
    "within another": (lambda w, x: torch.matmul(TimesMatrix(2.0, TimesMatrix(3.0, w)), x), ["mul", "mul", "matmul"]),
}


@pytest.mark.parametrize("call", LIKES)
def test_a_class_that_acts_as_a_tensor_is_seen_through(call: str) -> None:
    """It was taken for an attribute of an opaque op, on which nothing that it holds has a path."""
    program, ops = LIKES[call]
    w = torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    x = torch.tensor([[0.5, -1.0], [2.0, 0.25]])
    [plain] = torch.autograd.grad(program(w, x).sum(), w)
    with tv.record() as log:
        program(w, x).sum().backward()
    assert torch.equal(w.grad, plain)
    assert [each.op for each in log.events if isinstance(each, OpRecorded)] == [*ops, "reduce_sum"]
    assert not tv.diagnose(log)


def test_a_class_that_declines_gives_pytorchs_own_error() -> None:
    def invert() -> str:
        with pytest.raises(TypeError) as raised:
            torch.linalg.inv(TimesMatrix(2.0, torch.ones(2, 2)))
        return str(raised.value)

    plain = invert()
    with tv.record():
        assert invert() == plain


class Noted(torch.Tensor):
    """A tensor whose class writes down what it is asked."""

    heard: ClassVar[list[str]] = []

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.heard.append(torch.overrides.resolve_name(func) or func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})


def asked_of_a_class() -> list[str]:
    Noted.heard.clear()
    torch.manual_seed(0)
    x = torch.randn(4, 3).as_subclass(Noted).requires_grad_()
    w = torch.nn.Parameter(torch.ones(3).as_subclass(Noted))
    h = torch.relu(torch.nn.Linear(3, 3)(x)) * w
    h[0] = 0.0
    loss = torch.nn.functional.mse_loss(h, torch.zeros(4, 3)) + sum(each.softmax(-1).sum() for each in h.unbind(0))
    optimizer = torch.optim.Adam([w], lr=0.1)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    torch.autograd.grad((x * w).sum(), [x, w])
    assert loss.item() > 0.0
    return list(Noted.heard)


def test_a_class_of_tensors_is_asked_only_by_the_program() -> None:
    """In steps of optimizers, too, which compute as it says; and its parameter is one tensor, which learns."""
    plain = asked_of_a_class()
    with tv.record() as log:
        recorded = asked_of_a_class()
    assert recorded == plain
    assert "No `backward` met" not in str(tv.diagnose(log))


# ----- optimizers that step within the steps of others -----


class Shrinking(torch.optim.Optimizer):
    """Steps with another optimizer, and then makes the parameters smaller."""

    def __init__(self, parameters: Any, lr: float) -> None:
        super().__init__(parameters, {})
        self.inner = torch.optim.SGD(self.param_groups[0]["params"], lr)

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        found = self.inner.step(closure)
        for each in self.param_groups[0]["params"]:
            each.mul_(0.5)
        return found


@pytest.mark.parametrize("has_closure", [False, True])
def test_what_follows_a_step_within_a_step_is_seen(has_closure: bool) -> None:
    w = torch.nn.Parameter(torch.ones(2))
    optimizer = Shrinking([w], lr=0.25)

    def closure() -> Any:
        with torch.enable_grad():
            loss = (w * w).sum()
            loss.backward()
        return loss

    with tv.record() as log:
        if has_closure:
            optimizer.step(closure)
        else:
            closure()
            optimizer.step()
        w.exp()
    assert torch._C._get_torch_function_state() == torch._C._TorchFunctionState.ENABLED
    assert [each.op for each in log.events if isinstance(each, OpRecorded)] == ["mul", "reduce_sum", "exp"]
    assert w.tolist() == [0.25, 0.25]


class Elsewhere(torch.optim.Optimizer):
    """Takes a gradient in another thread while it steps."""

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters, {})

    def step(self, closure: Any = None) -> Any:
        def take() -> None:
            x = torch.ones(1, requires_grad=True)
            torch.autograd.grad(x * x, x)

        thread = Thread(target=take)
        thread.start()
        thread.join()


def test_what_another_thread_does_ends_no_step_of_ours() -> None:
    w = torch.nn.Parameter(torch.ones(2))
    optimizer = Elsewhere([w])
    with tv.record() as log:
        optimizer.step()
        w.exp()
    assert torch._C._get_torch_function_state() == torch._C._TorchFunctionState.ENABLED
    assert [each.op for each in log.events if isinstance(each, OpRecorded)] == ["exp"]


@pytest.mark.filterwarnings("ignore:.*is deprecated:DeprecationWarning")
def test_a_trace_is_of_the_program_alone() -> None:
    net, x = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU()), torch.ones(1, 2)
    plain = torch.jit.trace(net, x)
    with tv.record() as log:
        traced = torch.jit.trace(net, x)
        traced(x).sum().backward()
    assert traced.code == plain.code
    assert [each.op for each in log.events if isinstance(each, OpRecorded)][-1:] == ["reduce_sum"]
