"""A model that several processes train: `.grad` in the log is the program's, apart from what arrived in each."""

from __future__ import annotations

from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events import BackwardFinished, GradientStored, OpSkipped
from tests.processes import trained

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

MODULE = "tests.recorders.torch.sharded"
"""Which runs those of `replicated`, too."""

KINDS = ("plain", "bucket view", "static graph", "communication hook", "no_sync", "unused on one rank")


@pytest.mark.processes
@pytest.mark.parametrize("kind", KINDS)
def test_two_processes_compute_the_same_with_a_recording_and_issue_the_same_collectives(kind: str) -> None:
    for rank in trained(MODULE):
        assert rank[kind]["same"]
        alone, recorded = rank[kind]["collectives"]
        assert alone == recorded
        assert any("allreduce" in each for each in alone)


@pytest.mark.processes
@pytest.mark.parametrize("kind", KINDS)
def test_every_grad_in_the_log_is_the_programs_by_the_name_that_the_model_gives_it(kind: str) -> None:
    for rank in trained(MODULE):
        assert rank[kind]["names"]
        assert rank[kind]["grad"]


@pytest.mark.processes
@pytest.mark.parametrize("kind", KINDS)
def test_what_arrived_is_apart_from_what_was_reduced_and_differs_from_rank_to_rank(kind: str) -> None:
    one, other = trained(MODULE)
    assert one[kind]["local"] != other[kind]["local"]
    synchronised = kind != "no_sync"
    assert all(one[kind]["apart"]) is synchronised
    size = 4 * (4 * 300 + 300 + 300 * 300 + 300 + 300 + 1)
    world = {"group": "world", "ranks": 2}
    by_hook = [
        ["dist.all_reduce", world | {"operation": "sum", "bytes": size // 2, "in_place": True}],
        ["fp16_compress_hook", world | {"bytes": size}],
    ]
    mean = [["dist.all_reduce", world | {"operation": "mean", "bytes": size}]]
    times = 3 if synchronised else 1
    assert one[kind]["reductions"] == (by_hook if kind == "communication hook" else mean) * times


@pytest.mark.processes
@pytest.mark.parametrize("kind", KINDS)
def test_why_tells_a_gradient_of_others_from_one_of_this_process(kind: str) -> None:
    other = trained(MODULE)[1][kind]["why"]
    arrives = "No gradient of `loss` arrives at `second.weight` in this process: what the reduction over 2 ranks stored"
    assert other.startswith(arrives if kind == "unused on one rank" else "The gradient of `loss` arrives at")


@pytest.mark.processes
def test_sparse_gradients_are_reduced_with_a_recording_as_without() -> None:
    for rank in trained(MODULE):
        found = rank["few rows"]
        assert found["same"]
        assert found["grad"]
        assert found["bytes"] == [3 * (8 + 3 * 4)] * 2  # the rows of both ranks, each with its index


@pytest.mark.processes
def test_a_pipeline_sends_results_forward_and_gradients_back() -> None:
    one, other = (rank["pipeline"] for rank in trained(MODULE))
    world = {"group": "world", "ranks": 2, "bytes": 12}
    assert one == [
        ["dist.send", world | {"to": 1}, []],
        ["dist.recv", world | {"from": 1, "in_place": True}, [[2.0] * 3]],
        ["grad of w", [10.0] * 3],
    ]
    assert other == [
        ["dist.recv", world | {"from": 0, "in_place": True}, [[10.0] * 3]],
        ["dist.send", world | {"to": 0}, []],
        ["grad of w", [10.0] * 3],
    ]


def tenfold(parameter: Any) -> None:
    parameter.grad.mul_(10.0)


def look(parameter: Any) -> None:
    parameter.grad.sum()


def clear(parameter: Any) -> None:
    parameter.grad = None


@pytest.mark.parametrize("size", [3, 5000])
@pytest.mark.parametrize("terms", [1, 2])
def test_a_hook_at_a_stored_gradient_leaves_what_arrived_and_what_it_made_of_it(size: int, terms: int) -> None:
    with tv.record() as log:
        w = torch.nn.Parameter(torch.ones(size))
        w.register_post_accumulate_grad_hook(tenfold)
        loss = sum(((w * 7.0).sum() for _ in range(1, terms)), (w * 7.0).sum())
        loss.backward()
    [finished] = log.of_kind(BackwardFinished).values()
    [stored] = log.of_kind(GradientStored).values()
    assert (log.value(finished.gradients[0]) == 7.0 * terms).all()
    assert (log.value(stored.gradient) == 70.0 * terms).all()
    assert w.grad.tolist() == [70.0 * terms] * size


def test_a_hook_that_only_looks_leaves_one_gradient() -> None:
    with tv.record() as log:
        w = torch.nn.Parameter(torch.ones(3))
        w.register_post_accumulate_grad_hook(look)
        (w * 7.0).sum().backward()
    [finished] = log.of_kind(BackwardFinished).values()
    [stored] = log.of_kind(GradientStored).values()
    assert finished.gradients == (stored.gradient,)


def test_a_hook_that_clears_it_leaves_none() -> None:
    with tv.record() as log:
        w = torch.nn.Parameter(torch.ones(3))
        w.register_post_accumulate_grad_hook(clear)
        (w * 7.0).sum().backward()
    [finished] = log.of_kind(BackwardFinished).values()
    assert not log.of_kind(GradientStored)
    assert log.value(finished.gradients[0]).tolist() == [7.0] * 3


@pytest.mark.usefixtures("alone")
def test_a_replicated_layer_is_called_what_the_program_calls_it() -> None:
    with tv.record() as log:
        net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 2))
        net(torch.ones(1, 3)).sum().backward()
    assert {log.tensors[each.tensor].name for each in log.of_kind(GradientStored).values()} == {
        "net.weight",
        "net.bias",
    }
    assert [each.op for each in log.of_kind(OpSkipped).values()][-1] == "dist.all_reduce"


@pytest.mark.usefixtures("alone")
def test_without_values_there_are_the_same_events() -> None:
    def kinds(values: str) -> list[str]:
        with tv.record(values=values) as log:
            net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 2))
            net(torch.ones(1, 3)).sum().backward()
        return [type(each).__name__ for each in log.events]

    assert kinds("none") == kinds("kept")
