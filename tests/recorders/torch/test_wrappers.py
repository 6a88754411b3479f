"""Tensors whose storage is not their elements: of classes that answer to dispatch, as distributed tensors do."""

from __future__ import annotations

from typing import Any

import pytest

import tapeviz as tv

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


class Wrapper(torch.Tensor):
    """A tensor around another one: its own storage is empty."""

    @staticmethod
    def __new__(cls, inner: Any) -> Any:
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*(each.inner if isinstance(each, Wrapper) else each for each in args), **(kwargs or {}))
        return Wrapper(out) if isinstance(out, torch.Tensor) else out


def test_one_may_be_changed_in_place() -> None:
    w = Wrapper(torch.ones(4)).requires_grad_()
    optimizer = torch.optim.SGD([w], lr=0.1)
    with tv.record():
        (w * w).sum().backward()
        optimizer.step()
        w.grad.zero_()
        Wrapper(torch.ones(4)).add_(1.0)
    assert w.inner.tolist() == pytest.approx([0.8] * 4)


@pytest.fixture
def mesh(alone: None) -> Any:
    """A mesh of this process alone."""
    return pytest.importorskip("torch.distributed.tensor").init_device_mesh("cpu", (1,))


def test_a_distributed_tensor_may_be_changed_in_place(mesh: Any) -> None:
    from torch.distributed.tensor import Shard, distribute_tensor

    w = distribute_tensor(torch.ones(4), mesh, [Shard(0)]).requires_grad_()
    optimizer = torch.optim.SGD([w], lr=0.1)
    with tv.record() as log:
        (w * w).sum().backward()
        optimizer.step()
        torch.nn.utils.clip_grad_norm_([w], 1.0)
        w.grad.zero_()
        with torch.no_grad():
            w -= 0.1
    assert w.full_tensor().tolist() == pytest.approx([0.7] * 4)
    assert list(tv.diagnose(log)) == []  # zeros that were written later are not what the backward pass gave


def test_a_large_one_that_is_not_finite_is_found(mesh: Any) -> None:
    from torch.distributed.tensor import Shard, distribute_tensor

    w = distribute_tensor(torch.zeros(40, 40), mesh, [Shard(0)]).requires_grad_()
    with tv.record() as log:
        w.sqrt().sum().backward()
    assert [each.cause for each in tv.diagnose(log)] == ["domain_edge"]


def test_a_gradient_that_a_library_stores_is_not_denied() -> None:
    """It puts another tensor in the place of the parameter while the model runs."""
    w = torch.nn.Parameter(torch.ones(3))
    with tv.record() as log:
        other = w.detach().clone().requires_grad_()
        loss = (other * 2.0).sum()
        loss.backward()
        with torch._C.DisableTorchFunction():
            w.grad = other.grad
        torch.optim.SGD([w], lr=0.1).step()
    answer = str(tv.why(log, loss, w))
    assert answer.startswith("`w` has a gradient in its `.grad`, which no recorded backward pass left there")


def test_a_sharded_parameter_is_gathered_by_an_op_and_its_gradient_is_the_programs(mesh: Any) -> None:
    fsdp = pytest.importorskip("torch.distributed.fsdp")
    model = torch.nn.Linear(2, 4, bias=False)
    fsdp.fully_shard(model, mesh=mesh)
    with tv.record() as log:
        loss = model(torch.ones(1, 2)).sum()
        loss.backward()
        torch.optim.SGD(model.parameters(), lr=0.1).step()
    answer = str(tv.why(log, loss, model.weight))
    assert answer.startswith("The gradient of `loss` arrives at `model.weight`, through `fsdp.all_gather` at ")
    assert log.gradient("model.weight").tolist() == model.weight.grad.to_local().tolist() == [[1.0, 1.0]] * 4
    assert not list(tv.diagnose(log))


def test_what_was_cut_into_parts_is_missed_by_nobody(mesh: Any) -> None:
    fsdp = pytest.importorskip("torch.distributed.fsdp")
    with tv.record() as log:
        model = torch.nn.Linear(2, 4, bias=False)
        fsdp.fully_shard(model, mesh=mesh)
        model(torch.ones(1, 2)).sum().backward()
    assert str(tv.diagnose(log)).startswith("Nothing found.")


def test_memory_that_was_given_back_is_not_read() -> None:
    """Small variables keep their elements; of others nothing is known, also if the memory is there again."""
    small, large, later = (torch.ones(each, requires_grad=True) for each in (3, 3000, 3000))
    with tv.record() as log:
        (small.sum() + large.sum() + later.sum()).backward()
        for each in (small, large):
            size = each.untyped_storage().nbytes()
            each.untyped_storage().resize_(0)
            each.untyped_storage().resize_(size)
            each.data.fill_(5.0)
    later.untyped_storage().resize_(0)
    assert log.value("small").tolist() == [1.0] * 3
    assert log.value("large") is None
    assert log.value("later") is None
