"""Where ops of compiled functions are said to be: at the expressions, and in the modules, of the eager program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events import OpRecorded, OpSkipped, RecordingPaused

torch = pytest.importorskip("torch")

pytestmark = [pytest.mark.torch, pytest.mark.slow]


class Inner(torch.nn.Module):  # type: ignore[misc, name-defined]
    """A module of the program's, with one of PyTorch's."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh())

    def forward(self, x: Any) -> Any:
        return shifted(self.layers(x))


class Outer(torch.nn.Module):  # type: ignore[misc, name-defined]
    """Modules within a module, reached through functions."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.inner = Inner()
        self.parts = torch.nn.ModuleList([Inner() for _ in range(2)])
        self.function = function

    def forward(self, x: Any) -> Any:
        return self.function(self, x)


def shifted(x: Any) -> Any:
    return x + 1.0


def chained(net: Any, x: Any) -> Any:
    y = (x * 2.0 * net.inner(x)).sin().cos().square()
    return y / (1.0 + y * y) / 2.0 - -y


def over_lines(net: Any, x: Any) -> Any:
    """ß"""
    ä = x.sin(); y = ä.cos()  # fmt: skip  # noqa: E702
    return torch.relu(
        y + x  # a comment
    ).sum()


def looped(net: Any, x: Any) -> Any:
    for part in net.parts:
        x = shifted(part(x)) * 0.5
    return x[0] * (x[1] > 0).float()


def paused(net: Any, x: Any) -> Any:
    with torch.no_grad():
        scale = x.abs().sum()
    return net.inner(x) / scale


def _places(function: Any, functions: str) -> list[Any]:
    torch._dynamo.reset()
    torch.manual_seed(0)
    net, x = Outer(function), torch.randn(4, 3, requires_grad=True)
    with tv.record(functions=functions) as log:
        torch.compile(net, backend="aot_eager")(x).sum().backward()
    torch._dynamo.reset()
    found: list[Any] = []
    for event in log.events:
        if isinstance(event, (OpRecorded, OpSkipped)):
            scopes = [log.scopes[each].name for each in log.outward(event.scope)]
            found.append((event.op, log.sites[event.site], scopes[: scopes.index("_places") - 2]))
        elif isinstance(event, RecordingPaused):
            found.append(log.sites[event.site])
    return found


@pytest.mark.parametrize("function", [chained, over_lines, looped, paused])
def test_ops_are_where_those_of_the_eager_program_are(function: Any) -> None:
    assert _places(function, "graph") == _places(function, "eager")
