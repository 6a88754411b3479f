"""`tapeviz run` in several processes: each writes what is its own, says whose its lines are, and ends as it would."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

import pytest

import tapeviz as tv
from tapeviz.cli import progress, ranks
from tapeviz.cli.launch import recording_command
from tapeviz.events.store.ranks import Ranks
from tests.forks import Forks
from tests.processes import distributed

ROOT = Path(__file__).parents[2]
TRAINING = """
import sys
import torch
import torch.distributed as dist
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 2))
out = model(torch.full((4, 3), rank + 1.0))
if rank == 1:
    out = torch.sqrt(out - out)
out.mean().backward()
sys.stdout.write(f"trained {rank} {sys.argv[1:]}\\n")
dist.destroy_process_group()
"""
KILLED = """
import os, signal, torch
w = torch.ones(3, requires_grad=True)
(w * 2.0).sum().backward()
os.kill(os.getpid(), signal.SIGTERM)
print("not reached")
"""
HANDLING = """
import os, signal, torch
signal.signal(signal.SIGTERM, lambda *_: print("mine"))
os.kill(os.getpid(), signal.SIGTERM)
"""


def run(folder: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command in a folder, with variables of the environment."""
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    known = os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"} | variables
    return subprocess.run(command, cwd=folder, env=known, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(autouse=True)
def _as_at_the_start() -> Iterator[None]:
    """A process knows its rank from its start on; here tests say that they are one."""
    ranks.rank.cache_clear()
    yield
    ranks.rank.cache_clear()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {"train.py": TRAINING, "killed.py": KILLED, "handling.py": HANDLING}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


COMMANDS = {
    "torchrun --nproc-per-node 2 train.py --lr 1": "torchrun --nproc-per-node 2 -m tapeviz run -o x train.py --lr 1",
    "torchrun -m train --log 3": "torchrun -m tapeviz run -o x -m train --log 3",
    "python -m torch.distributed.run train.py": "python -m torch.distributed.run -m tapeviz run -o x train.py",
    "python -m torch.distributed.run -m train": "python -m torch.distributed.run -m tapeviz run -o x -m train",
    "mpirun -n 2 python train.py": "mpirun -n 2 python -m tapeviz run -o x train.py",
    "accelerate launch train.py killed.py": "accelerate launch -m tapeviz run -o x train.py killed.py",
    "python3 train.py": "python3 -m tapeviz run -o x train.py",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_launcher_starts_each_process_under_a_recording(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert " ".join(recording_command(command.split(), ["-o", "x"])) == COMMANDS[command]


@pytest.mark.parametrize("command", ["torchrun --nproc-per-node 2", "echo"])
def test_a_command_without_a_program_is_refused(command: str) -> None:
    with pytest.raises(ValueError, match="no script"):
        recording_command(command.split(), [])


def test_a_script_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match=r"the script 'missing\.py', and there is no such file"):
        recording_command(["torchrun", "missing.py"], [])


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, None),
        ({"RANK": "3", "WORLD_SIZE": "4"}, 3),
        ({"RANK": "3"}, None),
        ({"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}, 1),
        ({"SLURM_PROCID": "5", "SLURM_NTASKS": "8"}, 5),
        ({"RANK": "first", "WORLD_SIZE": "2"}, None),
        ({"LOCAL_RANK": "1", "WORLD_SIZE": "2"}, 1),
    ],
)
def test_launchers_tell_the_rank(
    variables: dict[str, str], expected: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (*ranks.RANKS, *ranks.SIZES):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert ranks.rank() == expected


def test_every_file_of_a_rank_is_its_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "2")
    monkeypatch.setenv("WORLD_SIZE", "4")
    options = Namespace(
        log=folder / "out", html=folder / "a.html", json=None, sarif=folder / "b.sarif", parser=ArgumentParser()
    )
    ranks.place_files(options)
    assert (options.log, options.html, options.json, options.sarif) == (
        folder / "out" / "rank-2.tape",
        folder / "a-rank-2.html",
        None,
        folder / "b-rank-2.sarif",
    )
    assert (folder / "out").is_dir()


def test_every_line_says_whose_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr(progress, "write", written.append)
    monkeypatch.setenv("RANK", "2")
    monkeypatch.setenv("WORLD_SIZE", "4")
    progress.say("one\ntwo")
    assert written == ["\ntapeviz, rank 2: one\nrank 2: two\n"]


@pytest.mark.torch
def test_a_rank_that_is_ended_leaves_what_it_had(folder: Path, with_torch: Forks) -> None:
    command = ("-m", "tapeviz", "run", "--log", "out", "killed.py")
    done = with_torch.start(folder, *command, RANK="1", WORLD_SIZE="2")
    assert (done.returncode, done.stdout) == (128 + signal.SIGTERM, b"")
    found = tv.load(folder / "out")
    assert isinstance(found, Ranks)
    assert [row.parameter for row in tv.table(found)] == ["w"]


@pytest.mark.torch
def test_a_program_keeps_its_own_handler(folder: Path, with_torch: Forks) -> None:
    command = ("-m", "tapeviz", "run", "--log", "out", "handling.py")
    done = with_torch.start(folder, *command, RANK="0", WORLD_SIZE="1")
    assert (done.returncode, done.stdout) == (0, b"mine\n")


def test_a_launcher_needs_a_folder(folder: Path) -> None:
    done = run(folder, sys.executable, "-m", "tapeviz", "run", "--", "torchrun", "train.py")
    assert done.returncode == 2
    assert "name one, --log FOLDER" in done.stderr


@pytest.mark.torch
@pytest.mark.processes
def test_torchrun_writes_a_log_of_each_rank_and_fails_on_each_that_has_a_nan(folder: Path) -> None:
    command = ("-m", "tapeviz", "run", "--log", "out", "--html", "all.html", "--fail-on", "nan", "--")
    launcher = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "train.py", "3")
    done = distributed().start(folder, *command, *launcher)
    told = done.stderr.decode()
    assert done.returncode == 1, told
    assert sorted(done.stdout.decode().splitlines()) == ["trained 0 ['3']", "trained 1 ['3']"]
    for rank in (0, 1):
        assert f"tapeviz, rank {rank}: --fail-on nan: the gradient of `model.weight` at train.py, line 12" in told
        assert f"tapeviz, rank {rank}: log: {folder / 'out' / f'rank-{rank}.tape'}" in told
    assert "rank 0: It arrived sound in this process" in told
    assert "is not finite on rank 1" in told  # what the ranks show together comes last
    assert (folder / "all.html").stat().st_size > 10_000
    found = tv.load(folder / "out")
    assert isinstance(found, Ranks)
    assert tv.diagnose(found)[0].cause == "spread_by_reduction"
    shown = distributed().start(folder, "-m", "tapeviz", "show", "--text", "out").stdout.decode()
    assert "2 logs, ranks 0 and 1" in shown
    assert "spread_by_reduction" in shown
