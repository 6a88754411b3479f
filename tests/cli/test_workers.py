"""Trainers whose library starts workers elsewhere: the loop that each is given goes there with what records it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.cli.children import Children
from tapeviz.cli.started import How, StartedRanks
from tapeviz.events import BackwardStarted, EventLog
from tapeviz.events.store.ranks import rank_files
from tests.cli.test_children import function

LIBRARY = {
    "ray/train/__init__.py": """
from types import SimpleNamespace
def get_context():
    return SimpleNamespace(get_world_rank=lambda: get_context.rank)
""",
    "ray/train/v2/api/data_parallel_trainer.py": """
import ray.train
class DataParallelTrainer:
    def __init__(self, train_loop_per_worker, *, scaling_config=None):
        self.train_loop_per_worker = train_loop_per_worker
    def fit(self):
        for ray.train.get_context.rank in (1, 0):
            self.train_loop_per_worker()
""",
}
"""A library of this name with one trainer, whose workers are no processes."""
LOOP = """
import autograd.numpy as np
from autograd import grad
def loop():
    grad(lambda w: np.sum(w * w))(np.ones(2))
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder, in which that library is found."""
    if "ray" in sys.modules:
        pytest.skip("the library itself is here, and imported")
    for name, text in LIBRARY.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [each for each in sys.modules if each.partition(".")[0] == "ray"]:
        del sys.modules[name]


def started(folder: Path, *, are_recorded: bool = True) -> StartedRanks:
    return StartedRanks(How(None, None, ()), folder / "out", "train.py", are_recorded=are_recorded)


def trainer() -> Any:
    """The class, as a program imports it."""
    from ray.train.v2.api.data_parallel_trainer import DataParallelTrainer

    return DataParallelTrainer


@pytest.mark.autograd
def test_each_worker_writes_its_log_and_those_of_another_trainer_are_others(library: Path) -> None:
    ranks, loop = started(library), function(library, LOOP, "loop")
    with Children(ranks).watched(EventLog()):
        trainer()(loop).fit()
        trainer()(train_loop_per_worker=loop).fit()
    assert trainer()(loop).train_loop_per_worker is loop
    assert [sorted(rank_files(library / name)) for name in ("out", "out-2")] == [[0, 1]] * 2
    assert [str(each) for each, _ in ranks.logs(EventLog())] == ["2 logs, ranks 0 and 1"] * 2
    for path in rank_files(library / "out").values():
        assert len(tv.load(path).of_kind(BackwardStarted)) == 1


@pytest.mark.parametrize(
    ("text", "options", "are_recorded"),
    [
        (LOOP, {"scaling_config": SimpleNamespace(num_workers=0)}, True),  # it trains in the program's own process
        (LOOP + "# tapeviz", {}, True),  # it records itself
        (LOOP, {}, False),
    ],
)
@pytest.mark.autograd
def test_others_are_left_as_they_are(text: str, options: dict[str, Any], are_recorded: bool, library: Path) -> None:
    ranks, loop = started(library, are_recorded=are_recorded), function(library, text, "loop")
    with Children(ranks).watched(EventLog()):
        assert trainer()(loop, **options).train_loop_per_worker is loop
    assert ranks.count == 0


@pytest.mark.parametrize("records", [True, False])
def test_workers_that_are_not_recorded_are_spoken_of_where_nothing_else_was(
    library: Path, monkeypatch: pytest.MonkeyPatch, records: bool
) -> None:
    (library / "train.py").write_text("import ray\n" + "import tapeviz\n" * records)
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(library / "train.py"), raising=False)
    children = Children(started(library))
    monkeypatch.setattr("tapeviz.cli.children.CHILD_SECONDS", float("inf"))
    assert children.sentence(is_alone=True) == ""
    import ray  # noqa: F401

    assert children.sentence(is_alone=False) == ""
    assert children.sentence(is_alone=True).startswith("What workers of Ray do is not recorded" * (not records))
    assert bool(children.sentence(is_alone=True)) is not records
