"""`tv.export`: where it writes to, what it refuses; scalars reach whoever logs a training."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.errors import LogError
from tests.views.samples import cube, empty


@pytest.fixture(scope="module")
def history() -> tv.History:
    """Three steps: `v` gets None at the second, and a gradient that is NaN at the third."""
    w, v = tv.Variable([3.0, 4.0], name="w"), tv.Variable(2.0, name="v")
    history = tv.History()
    for factor in (lambda: v, lambda: 1.0, lambda: v * np.nan):
        with tv.GradientTape() as tape:
            loss = tv.reduce_sum(w) * factor()
        tape.gradient(loss, [w, v])
        history.add(tape)
    return history


class Writer:
    """As TensorBoard's SummaryWriter, of PyTorch, tensorboardX or JAX's."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, float, int]] = []

    def add_scalar(self, tag: str, scalar_value: float, global_step: int | None = None) -> None:
        self.rows.append((tag, scalar_value, global_step or 0))


class Run:
    """As a run of W&B or trackio."""

    def __init__(self) -> None:
        self.rows: dict[int, dict[str, Any]] = {}

    def log(self, data: dict[str, Any], step: int | None = None) -> None:
        assert step is not None
        assert step not in self.rows
        self.rows[step] = data


def test_a_run_gets_a_dict_a_step_and_a_writer_the_same(history: tv.History) -> None:
    run, writer = Run(), Writer()
    assert tv.export(history, run, step=10) is None
    assert tv.export(history, writer, step=10) is None
    assert list(run.rows) == [10, 11, 12]
    assert run.rows[10] == pytest.approx(
        {"grad_norm/w": 8**0.5, "param_norm/w": 5.0, "grad_norm/v": 7.0, "param_norm/v": 2.0}
    )
    assert "grad_norm/v" not in run.rows[11]
    assert np.isnan(run.rows[12]["grad_norm/w"])
    rows: dict[int, dict[str, float]] = {}
    for tag, value, step in writer.rows:
        rows.setdefault(step, {})[tag] = value
    assert {step: str(row) for step, row in rows.items()} == {step: str(row) for step, row in run.rows.items()}


def test_a_log_is_one_step() -> None:
    x, run = tv.Variable(3.0, name="x"), Run()
    with tv.GradientTape() as tape:
        y = x * x * x
    tape.gradient(y, x)
    tv.export(tape, run, step=4)
    assert run.rows == {4: {"grad_norm/x": 27.0, "param_norm/x": 3.0}}


@pytest.mark.tensorflow
def test_tensorboards_files_are_read_by_tensorflow(history: tv.History, tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX")
    tensorflow = pytest.importorskip("tensorflow")
    folder = tmp_path / "runs" / "first"
    assert tv.export(history, folder, step=300) == folder
    [file] = folder.iterdir()
    assert "tfevents" in file.name
    version, *events = tensorflow.compat.v1.train.summary_iterator(str(file))
    assert version.file_version == "brain.Event:2"
    assert all(event.wall_time > 1.6e9 for event in events)
    found: dict[int, dict[str, float]] = {}
    for event in events:
        found.setdefault(event.step, {}).update({value.tag: value.simple_value for value in event.summary.value})
    run = Run()
    tv.export(history, run, step=300)
    assert list(found) == list(run.rows)
    for step, row in run.rows.items():
        assert found[step] == pytest.approx(row, nan_ok=True)


def test_the_path_or_the_format_says_what_is_written(tmp_path: Path) -> None:
    log = cube()
    trace = json.loads(tv.export(log, tmp_path / "trace.json").read_text())
    assert json.loads(gzip.decompress(tv.export(log, tmp_path / "trace.json.gz").read_bytes())) == trace
    assert "traceEvents" in trace
    assert "signature" in json.loads(tv.export(log, str(tmp_path / "graph.netron")).read_text())
    assert "graphs" in json.loads(tv.export(log, tmp_path / "g.json", format="model_explorer").read_text())


def test_without_its_package_a_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    with pytest.raises(ModuleNotFoundError, match="pip install tensorboardX"):
        tv.export(cube(), tmp_path / "run.1", format="tensorboard")


@pytest.mark.parametrize(
    ("to", "options", "error", "words"),
    [
        (3.0, {}, TypeError, "a float has neither `add_scalar`.*nor `log`"),
        ("g.onnx", {}, ValueError, "g.onnx', by how it ends: choose one of chrome_trace, model_explorer, netron"),
        ("g.json", {"format": "onnx"}, ValueError, "Cannot export as 'onnx'"),
        ("absent/g.json", {}, FileNotFoundError, "there is no folder"),
        (Run(), {"step": 1.5}, TypeError, "step is the number of a step; got 1.5"),
    ],
)
def test_what_cannot_be_written_is_refused(
    tmp_path: Path, to: Any, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        tv.export(cube(), tmp_path / to if isinstance(to, str) else to, **options)


def test_a_history_has_no_graph_and_a_log_without_gradient_no_scalars(history: tv.History, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="no ops to write as chrome_trace: export a log, or name a folder"):
        tv.export(history, tmp_path / "trace.json")
    with pytest.raises(LogError, match="No gradient"):
        tv.export(empty(), Run())
