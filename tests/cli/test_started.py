"""Processes that a program starts by itself: each is recorded, and what all of them show is said as of ranks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tapeviz as tv
from tapeviz.cli.started import How, StartedRanks
from tapeviz.events import ErrorRaised, OpRecorded, OpSkipped
from tapeviz.events.store.ranks import Ranks
from tests.forks import Forks, streams
from tests.processes import distributed

TRAINING = """
import multiprocessing, os, subprocess, sys
import autograd.numpy as np
from autograd import grad

def loss(w, rank):
    return np.sum(np.sqrt(w * rank))

def train(rank):
    os.write(1, f"{rank} {grad(loss)(np.ones(2), rank * 1.0)}\\n".encode())

def fetch(rank):
    return rank

def run_all(method):
    context = multiprocessing.get_context(method)
    processes = [context.Process(target=work, args=(rank,)) for work in (train, fetch) for rank in (0, 1)]
    for each in processes:
        each.start()
    for each in processes:
        each.join()
    assert [each.exitcode for each in processes] == [0] * 4

if __name__ == "__main__":
    if sys.argv[1] == "again":
        rank = int(os.environ.setdefault("LOCAL_RANK", "0"))
        os.environ["WORLD_SIZE"] = "2"
        if rank == 0:
            command = [sys.executable, os.path.abspath(__file__), "again"]
            other = subprocess.Popen(command, env={**os.environ, "LOCAL_RANK": "1"})
        train(rank)
        if rank == 0:
            assert other.wait() == 0
    for method in sys.argv[1].split(",") if sys.argv[1] != "again" else ():
        run_all(method)
"""


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    pytest.importorskip("autograd")
    forks = Forks("autograd.numpy", "tapeviz.cli.run")
    yield forks
    forks.close()


def ran(forks: Forks, folder: Path, *options: str, how: str) -> subprocess.CompletedProcess[bytes]:
    (folder / "train.py").write_text(TRAINING)
    return forks.start(folder, "-m", "tapeviz", "run", *options, "train.py", how, PYTHONWARNINGS="ignore")


@pytest.mark.autograd
@pytest.mark.processes
@pytest.mark.skipif(sys.platform == "win32", reason="nothing is forked there")
def test_each_process_writes_a_log_and_one_that_fetches_data_none(tmp_path: Path, forks: Forks) -> None:
    """Those that are started after the program has waited for others are compared among themselves."""
    done = ran(forks, tmp_path, "--log", "out", "--html", "all.html", "--fail-on", "nan", how="spawn,fork")
    told = done.stderr.decode()
    assert done.returncode == 1, told
    assert sorted(done.stdout.decode().splitlines()) == ["0 [nan nan]", "0 [nan nan]", "1 [0.5 0.5]", "1 [0.5 0.5]"]
    for place in ("out", "out-2"):
        assert f"2 logs, ranks 0 and 1: {tmp_path / place}\n" in told
        found = tv.load(tmp_path / place)
        assert isinstance(found, Ranks)
        assert [each.cause for each in tv.diagnose(found)] == ["domain_edge"]
    assert {each.name for each in tmp_path.iterdir()} >= {"out", "out-2", "all.html", "all-2.html"}
    assert "not recorded" not in told
    assert "Nothing was recorded" not in told


@pytest.mark.autograd
@pytest.mark.processes
def test_without_a_place_for_logs_none_stay(tmp_path: Path, forks: Forks) -> None:
    done = ran(forks, tmp_path, how="fork")
    assert done.returncode == 0, done.stderr
    assert "tapeviz: 2 logs, ranks 0 and 1\n" in done.stderr.decode()
    assert {each.name for each in tmp_path.iterdir()} == {"train.py", *streams(0)}


@pytest.mark.autograd
@pytest.mark.processes
def test_the_program_started_once_more_in_an_environment_with_a_rank_is_one(tmp_path: Path, forks: Forks) -> None:
    """As Lightning's launcher does it, whose own process is rank 0."""
    for _ in range(2):
        done = ran(forks, tmp_path, "--log", "out", how="again")
        assert done.returncode == 0, done.stderr
        assert f"tapeviz: 2 logs, ranks 0 and 1: {tmp_path / 'out'}\n" in done.stderr.decode()
        assert sorted(each.name for each in (tmp_path / "out").iterdir()) == ["rank-0.tape", "rank-1.tape"]


SPAWNED = """
import sys
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

def train(rank, store):
    if store == "wrong":
        (torch.ones(2, requires_grad=True) * 2.0).sum().backward()
        raise ValueError("of rank " + str(rank))
    dist.init_process_group("gloo", init_method=store, rank=rank, world_size=2)
    torch.manual_seed(0)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 1))
    model(torch.full((4, 3), rank + 1.0)).mean().backward()
    sys.stdout.write(f"{rank} {model.module.weight.grad.tolist()}\\n")
    dist.destroy_process_group()

if __name__ == "__main__":
    for method in ("spawn", "fork"):
        mp.start_processes(train, (f"file://{sys.argv[1]}/{method}",), nprocs=2, start_method=method)
    mp.start_processes(train, ("wrong",), nprocs=1, start_method="fork")
"""


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.skipif(sys.platform == "win32", reason="nothing is forked there")
def test_what_torch_multiprocessing_starts_is_recorded_with_its_reductions(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SPAWNED)
    done = distributed().start(tmp_path, "-m", "tapeviz", "run", "--log", "out", "train.py", str(tmp_path))
    assert done.returncode == 1
    assert "ValueError: of rank 0" in done.stderr.decode()
    wrong = tv.load(tmp_path / "out-3")
    assert isinstance(wrong, Ranks)
    assert [each.message for each in wrong[0].of_kind(ErrorRaised).values()] == ["of rank 0"]
    assert sorted(done.stdout.decode().splitlines()) == [f"{rank} [[1.5, 1.5, 1.5]]" for rank in (0, 0, 1, 1)]
    for place in ("out", "out-2"):
        ranks = tv.load(tmp_path / place)
        assert isinstance(ranks, Ranks)
        arrived = [log.gradient("model.weight").tolist() for log in ranks.values()]
        assert arrived == [[[1.0, 1.0, 1.0]], [[2.0, 2.0, 2.0]]]
        assert all(
            "dist.all_reduce" in {op.op for op in log.of_kind(OpRecorded, OpSkipped).values()} for log in ranks.values()
        )


PYTHON = sys.executable
IN_RANK = {"RANK": "1", "WORLD_SIZE": "2"}


@pytest.mark.parametrize(
    ("command", "environment", "expected"),
    [
        (
            [PYTHON, "train.py", "--lr", "1"],
            IN_RANK,
            [PYTHON, "-m", "tapeviz", "run", "-o", "OUT", "train.py", "--lr", "1"],
        ),
        ([PYTHON, "-u", "train.py"], IN_RANK, [PYTHON, "-u", "-m", "tapeviz", "run", "-o", "OUT", "train.py"]),
        ([PYTHON, "train.py"], {}, None),
        ([PYTHON, "other.py"], IN_RANK, None),
        (["bash", "train.py"], IN_RANK, None),
        ("python train.py", IN_RANK, None),
    ],
)
def test_what_runs_the_program_again(
    command: list[str],
    environment: dict[str, str],
    expected: list[str] | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("train.py", "other.py"):
        Path(name).touch()
    started = StartedRanks(How(None, None, ()), tmp_path / "OUT", "train.py")
    found = started.command(command, environment)
    assert found == (expected and [str(tmp_path / "OUT") if each == "OUT" else each for each in expected])


def test_how_a_program_is_recorded_on_a_command_line() -> None:
    assert How("norms", 3, ("nan", "inf")).arguments() == ["--values", "norms", "--steps", "3", "--stop-on", "nan,inf"]
    assert How(None, None, ()).arguments() == []


@pytest.mark.parametrize(("log", "places"), [("out", ["out", "out-2"]), ("run.tape", ["run-ranks", "run-ranks-2"])])
def test_logs_lie_where_one_was_to_go(log: str, places: list[str], tmp_path: Path) -> None:
    (tmp_path / log).write_text("of a run before")
    (tmp_path / places[1]).mkdir()
    (tmp_path / places[1] / "rank-7.tape").write_text("of a run before")
    started = StartedRanks(How(None, None, ()), tmp_path / log, "train.py")
    paths = [started.recorded(print).path, started.recorded(print).path]
    started.waited()
    paths.append(started.recorded(print).path)
    assert paths == [
        tmp_path / places[0] / "rank-0.tape",
        tmp_path / places[0] / "rank-1.tape",
        tmp_path / places[1] / "rank-0.tape",
    ]
    assert not list((tmp_path / places[1]).iterdir())
    assert (tmp_path / log).is_dir() == (log == "out")
