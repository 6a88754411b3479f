"""The notebooks run from top to bottom, are kept with outputs that are there and light, and what they show as working
hears nothing but hints."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
FRAMEWORKS = {"tensorflow": pytest.mark.tensorflow, "pytorch": pytest.mark.torch, "jax": pytest.mark.jax}
"""A notebook named after a framework needs it."""
NOTEBOOK_BYTES = 500_000
OUTPUT_BYTES = 200_000
CARD_BYTES = 10_000


def code_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def size(output: nbformat.NotebookNode) -> int:
    return len(json.dumps(output).encode())


def test_the_tour_the_clinic_the_lecture_and_the_exploration_are_here() -> None:
    wanted = {"01_first_tape.ipynb", "02_why_is_it_none.ipynb", "06_lecture.ipynb", "07_explore.ipynb"}
    assert wanted <= {path.name for path in NOTEBOOKS}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_light(path: Path) -> None:
    assert path.stat().st_size < NOTEBOOK_BYTES


def runnable() -> list[Any]:
    marks = {path: FRAMEWORKS.get(path.stem.partition("_")[2]) for path in NOTEBOOKS}
    return [pytest.param(path, marks=[mark] if mark else [], id=path.stem) for path, mark in marks.items()]


WITNESS = f"""\
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.notebook_witness import Witness
del sys.path[0]
_witness = Witness(get_ipython())"""
REPORT = "_witness.report()"

Run: TypeAlias = Callable[[Path], tuple[nbformat.NotebookNode, Any]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run a notebook, once, in a copy of the folder, with the data beside it: the notebook, and the witness's report.

    A cell that raises fails the test.
    """

    @cache
    def run(path: Path) -> tuple[nbformat.NotebookNode, Any]:
        folder = shutil.copytree(FOLDER, tmp_path_factory.mktemp(path.stem) / "notebooks")
        fresh = nbformat.read(path, as_version=4)
        first, last = map(nbformat.v4.new_code_cell, (WITNESS, REPORT))
        fresh.cells = [first, *fresh.cells, last]
        # A busy machine may print what belongs together in two pieces.
        where = {"metadata": {"path": folder}}
        NotebookClient(fresh, timeout=240, resources=where, coalesce_streams=True).execute()
        fresh.cells = fresh.cells[1:-1]
        return fresh, json.loads("".join(each.text for each in last.outputs if each.get("name") == "stdout"))

    return run


@pytest.mark.slow
@pytest.mark.parametrize("path", runnable())
def test_it_runs_and_its_kept_outputs_are_those_of_a_run(path: Path, run: Run) -> None:
    kept, (fresh, _) = nbformat.read(path, as_version=4), run(path)
    for old, new in zip(code_cells(kept), code_cells(fresh), strict=True):
        kinds = [[output.output_type for output in cell.outputs] for cell in (old, new)]
        assert kinds[0] == kinds[1], f"run {path.name} again and keep its outputs; this cell's are stale:\n{old.source}"


@pytest.mark.slow
@pytest.mark.parametrize("path", runnable())
def test_what_it_does_not_ask_about_is_silent(path: Path, run: Run) -> None:
    _, report = run(path)
    assert report["healthy"]
    assert report["said"] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_output_is_heavy(path: Path) -> None:
    outputs = [output for cell in code_cells(nbformat.read(path, as_version=4)) for output in cell.outputs]
    assert [size(output) for output in outputs if size(output) > OUTPUT_BYTES] == []


def test_a_card_is_light() -> None:
    clinic = nbformat.read(FOLDER / "02_why_is_it_none.ipynb", as_version=4)
    cards = [output for cell in code_cells(clinic) if "why(" in cell.source for output in cell.outputs]
    assert cards
    assert [size(card) for card in cards if size(card) > CARD_BYTES] == []
