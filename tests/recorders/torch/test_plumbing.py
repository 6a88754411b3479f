"""Functions of libraries that only see tensors go by are no ops: gradients get past them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events import CotangentAccumulated, OpRecorded, VjpApplied

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def _through() -> Any:
    """What `fully_shard` puts ahead of each module."""
    from torch.distributed.fsdp._fully_shard._fsdp_param_group import RegisterPostBackwardFunction

    class Group:
        def post_backward(self) -> None:
            """Called when the gradients behind it have come."""

    return lambda *tensors: RegisterPostBackwardFunction.apply(Group(), *tensors)


def _copies() -> Any:
    """What `DistributedDataParallel` puts behind a model that may leave parameters out."""
    from torch.nn.parallel.distributed import _DDPSink

    class Model:
        static_graph, reducer, _ddp_sink_clone = False, None, True

    model = Model()
    return lambda *tensors: _DDPSink.apply(lambda: model, *tensors)


def two_ways(past: Any, x: Any, w: Any) -> Any:
    """What is read behind it, twice, and beside it."""
    [h] = past(x * w)
    y = x * w
    [k] = past(y)
    return (h.sin() + h.cos() + k * y).sum()


def at_a_leaf(past: Any, x: Any, w: Any) -> Any:
    one, other = past(w, w)
    return (one * x + other.exp()).sum()


def at_the_end(past: Any, x: Any, w: Any) -> Any:
    return past((x * w).sum(), w)[0]


def one_after_the_other(past: Any, x: Any, w: Any) -> Any:
    a, b = past(*past(x * w, w + 1.0))
    return (b * a).sum()


@pytest.mark.parametrize("kind", [_through, _copies])
@pytest.mark.parametrize("f", [two_ways, at_a_leaf, at_the_end, one_after_the_other])
def test_every_contribution_is_that_of_the_ops_around_it(f: Callable[..., Any], kind: Callable[[], Any]) -> None:
    def recorded(past: Any) -> tuple[Any, ...]:
        x, w = torch.tensor([1.0, 2.0]), torch.tensor([3.0, -4.0], requires_grad=True)
        with tv.record() as log:
            f(past, x, w).backward()
        steps = [
            (log.events[each.op].op, [log.value(one) for one in each.cotangents if one is not None])
            for each in log.of_kind(VjpApplied).values()
        ]
        sums = [(each.tensor, log.value(each.total)) for each in log.of_kind(CotangentAccumulated).values()]
        ops = [(each.op, each.inputs, each.outputs) for each in log.of_kind(OpRecorded).values()]
        return ops, str(steps), str(sums), w.grad.tolist(), str(tv.table(log))

    assert recorded(kind()) == recorded(lambda *tensors: tensors)
