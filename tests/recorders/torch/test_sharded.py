"""A model whose parameters several processes share out: its gradients in the log are the program's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.events.store.ranks import Ranks
from tests.processes import ROOT, needs_gloo, together, trained

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.torch, pytest.mark.processes]

MODULE = "tests.recorders.torch.sharded"

FULLY_SHARDED = (
    *("fully_shard", "fully_shard in half precision", "fully_shard, accumulating", "fully_shard, replicated"),
    "fully_shard, with statistics",
)
REPLICATED = ("FSDP, replicated", "FSDP, replicated, one flat parameter", "FSDP, replicated, accumulating")
FLAT = ("FSDP", "FSDP, one flat parameter", "FSDP, accumulating", *REPLICATED)
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


@pytest.mark.parametrize("kind", [*FULLY_SHARDED, *FLAT])
def test_what_a_wrapper_does_for_itself_is_left_out(kind: str) -> None:
    for rank in trained(MODULE):
        assert rank[kind]["wrapping"] == []
        assert "broadcast_to" not in rank[kind]["ops"]  # a view that leads to where a hook is hung up


@pytest.mark.parametrize("kind", FLAT)
def test_a_flat_parameter_is_made_whole_by_one_op_however_often_the_model_is_asked(kind: str) -> None:
    names = [f"{layer}.{part}" for layer in ("first", "second", "last") for part in ("weight", "bias")]
    for rank in trained(MODULE):
        found = rank[kind]["from the start"]
        assert [whole for _, whole in found["gathers"]] == [[f"{name} (whole)" for name in names]]
        assert not {"split", "reshape", "stop_gradient"}.intersection(found["ops"])
        assert not any("unseen" in each for each in found["scopes"])
        assert found["unknown"] == []
        assert found["grad"]
        assert all(found["grad"])


@pytest.mark.parametrize("kind", FLAT)
def test_what_a_rank_has_no_part_of_or_what_is_frozen_is_missed_by_nobody(kind: str) -> None:
    for rank in trained(MODULE):
        found = rank[kind]["from the start"]
        assert found["told"].startswith("Nothing found."), found["told"]
        assert all(found["shapes"])
        owns, _ = found["gathers"][0]
        assert len(found["elsewhere"]) == (0 if "one flat" in kind else 6 - len(owns))
        for name, answer in found["elsewhere"].items():
            assert answer.startswith(f"Of `{name}` this rank has no part")


def test_buffers_are_met_once_a_pass_by_the_names_that_the_model_gives_them() -> None:
    """Those that are saved with it, and are no counts."""
    for rank in trained(MODULE):
        found = rank["fully_shard, with statistics"]
        assert found["buffers"] == [["second.1.running_mean", "second.1.running_var"]] * 2
        assert found["norms"][0] == [0.0, 4.0]
        assert found["norms"][1] != found["norms"][0]
        assert rank["fully_shard"]["buffers"] == []


@pytest.mark.parametrize("package", ["accelerate", "lightning"])
def test_trainers_of_libraries_train_alike_and_their_grads_are_in_the_log(package: str) -> None:
    pytest.importorskip(package)
    for out in together("tests.recorders.torch.launched", package):
        for found in json.loads(out.splitlines()[-1]).values():
            assert_alike(found)


@pytest.fixture(scope="module")
def ray_trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the workers of a program of Ray Train have left that was run by `tapeviz run`."""
    pytest.importorskip("ray.train")
    needs_gloo()
    folder = tmp_path_factory.mktemp("ray")
    quiet = {"RAY_USAGE_STATS_ENABLED": "0", "OMP_NUM_THREADS": "1"}
    paths = {"PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}
    command = [sys.executable, "-m", "tapeviz", "run", "--log", str(folder / "out")]
    command += ["-m", "tests.recorders.torch.ray_trained", str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | quiet | paths, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    (folder / "stderr").write_text(done.stderr)
    return folder


@pytest.mark.slow
@pytest.mark.timeout(700)
def test_workers_of_ray_train_alike_and_each_writes_its_log(ray_trained: Path) -> None:
    for rank in range(2):
        assert_alike(json.loads((ray_trained / f"found-{rank}.json").read_text()))
    ranks = tv.load(ray_trained)
    assert {row.parameter for row in tv.table(ranks)} == set(json.loads((ray_trained / "names.json").read_text()))
    assert str(tv.diagnose(ranks)).startswith("Nothing found.")


@pytest.mark.slow
@pytest.mark.timeout(700)
def test_workers_of_ray_are_recorded_with_the_program_that_trains_by_them(ray_trained: Path) -> None:
    """Those of a loop that does not record itself."""
    ranks = tv.load(ray_trained / "out")
    assert isinstance(ranks, Ranks)
    assert list(ranks) == [0, 1]
    told = (ray_trained / "stderr").read_text()
    assert f"tapeviz: 2 logs, ranks 0 and 1: {ray_trained / 'out'}\n" in told
    assert "Nothing found." in told
    for rank, log in ranks.items():
        alone, left, grad = (np.load(ray_trained / f"{name}-{rank}.npz") for name in ("alone", "left", "grad"))
        assert all(np.array_equal(alone[name], left[name]) for name in alone)
        stored = {name: log.value(each[-1].tensor) for name, each in RankLog(rank, log).passes[-1].versions.items()}
        assert set(stored) == set(grad)
        assert all(np.allclose(stored[name], grad[name], rtol=1e-6) for name in grad)


def assert_alike(found: dict[str, Any]) -> None:
    """A training by a library is the same with a recording, and so are its gradients in the log."""
    alone, recorded = found["collectives"]
    assert found["same"]
    assert alone == recorded
    assert found["grad"]
    assert all(found["grad"])
    assert found["told"].startswith("Nothing found."), found["told"]
