"""The notebooks run from top to bottom, are kept with outputs that are there and light, and what they show as working
hears nothing but hints."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
TORCH = pytest.mark.torch
FRAMEWORKS = {"tensorflow": [pytest.mark.tensorflow], "pytorch": [TORCH], "jax": [pytest.mark.jax]}
FRAMEWORKS["ranks"] = [TORCH, pytest.mark.processes]
"""A notebook named after a framework, or its processes, needs it."""
NOTEBOOK_BYTES = 500_000
OUTPUT_BYTES = 200_000
CARD_BYTES = 10_000


def code_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def size(output: nbformat.NotebookNode) -> int:
    return len(json.dumps(output).encode())


def test_the_tour_the_clinic_the_lectures_and_the_exploration_are_here() -> None:
    wanted = {f"{name}.ipynb" for name in ("01_first_tape", "02_why_is_it_none", "06_lecture", "07_explore")}
    assert wanted | {"09_training_step.ipynb"} <= {path.name for path in NOTEBOOKS}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_light(path: Path) -> None:
    assert path.stat().st_size < NOTEBOOK_BYTES


def runnable() -> list[Any]:
    marks = {path: FRAMEWORKS.get(path.stem.partition("_")[2], []) for path in NOTEBOOKS}
    return [pytest.param(path, marks=some, id=path.stem) for path, some in marks.items()]


WITNESS = f"""\
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.notebook_witness import Witness
del sys.path[0]
_witness = Witness(get_ipython())"""
REPORT = "_witness.report()"


class Run(NamedTuple):
    """A notebook as it is kept, as it has just been run, and the witness's report of the run."""

    kept: nbformat.NotebookNode
    fresh: nbformat.NotebookNode
    report: dict[str, Any]


@pytest.fixture(scope="module", params=runnable())
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run in a copy of the folder, with the data beside it; a cell that raises fails the test."""
    path: Path = request.param
    folder = shutil.copytree(FOLDER, tmp_path_factory.mktemp(path.stem) / "notebooks")
    kept, fresh = (nbformat.read(path, as_version=4) for _ in range(2))
    first, last = map(nbformat.v4.new_code_cell, (WITNESS, REPORT))
    fresh.cells = [first, *fresh.cells, last]
    # A busy machine may print what belongs together in two pieces.
    NotebookClient(fresh, timeout=240, resources={"metadata": {"path": folder}}, coalesce_streams=True).execute()
    fresh.cells = fresh.cells[1:-1]
    report = "".join(each.text for each in last.outputs if each.get("name") == "stdout")
    return Run(kept, fresh, json.loads(report))


@pytest.mark.slow
def test_it_runs_and_its_kept_outputs_are_those_of_a_run(run: Run) -> None:
    for old, new in zip(code_cells(run.kept), code_cells(run.fresh), strict=True):
        kinds = [[output.output_type for output in cell.outputs] for cell in (old, new)]
        stale = f"run the notebook again and keep its outputs; this cell's are stale:\n{old.source}"
        assert kinds[0] == kinds[1], stale


@pytest.mark.slow
def test_what_it_does_not_ask_about_is_silent(run: Run) -> None:
    assert run.report["healthy"]
    assert run.report["said"] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_output_is_heavy(path: Path) -> None:
    outputs = [output for cell in code_cells(nbformat.read(path, as_version=4)) for output in cell.outputs]
    assert [size(output) for output in outputs if size(output) > OUTPUT_BYTES] == []


def test_a_card_is_light() -> None:
    clinic = nbformat.read(FOLDER / "02_why_is_it_none.ipynb", as_version=4)
    cards = [output for cell in code_cells(clinic) if "why(" in cell.source for output in cell.outputs]
    assert cards
    assert [size(card) for card in cards if size(card) > CARD_BYTES] == []
