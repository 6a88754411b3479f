"""A model whose parameters several processes share out: its gradients in the log are the program's."""

from __future__ import annotations

import json

import pytest

from tests.processes import together, trained

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

MODULE = "tests.recorders.torch.sharded"

FULLY_SHARDED = (
    *("fully_shard", "fully_shard in half precision", "fully_shard, accumulating", "fully_shard, replicated"),
)
FLAT = ("FSDP", "FSDP, one flat parameter", "FSDP, accumulating")
IN_PARTS = ("tensor parallel", "sequence parallel", "pipeline, GPipe", "pipeline, 1F1B", "ZeRO")
KINDS = (*FULLY_SHARDED, *FLAT, *IN_PARTS)


@pytest.mark.parametrize("kind", KINDS)
def test_two_processes_compute_the_same_with_a_recording_and_issue_the_same_collectives(kind: str) -> None:
    for rank in trained(MODULE):
        assert rank[kind]["same"]
        alone, recorded = rank[kind]["collectives"]
        assert alone == recorded
        assert alone


@pytest.mark.parametrize("kind", KINDS)
def test_every_grad_in_the_log_is_what_the_process_has_by_the_name_that_the_model_gives_it(kind: str) -> None:
    for rank in trained(MODULE):
        assert rank[kind]["grad"]
        assert all(rank[kind]["grad"])


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_said_of_what_is_right(kind: str) -> None:
    for rank in trained(MODULE):
        assert rank[kind]["told"].startswith("Nothing found."), rank[kind]["told"]


@pytest.mark.parametrize("package", ["accelerate", "lightning"])
def test_trainers_of_libraries_train_alike_and_their_grads_are_in_the_log(package: str) -> None:
    pytest.importorskip(package)
    for out in together("tests.recorders.torch.launched", package):
        for found in json.loads(out.splitlines()[-1]).values():
            alone, recorded = found["collectives"]
            assert found["same"]
            assert alone == recorded
            assert found["grad"]
            assert all(found["grad"])
            assert found["told"].startswith("Nothing found."), found["told"]
