"""The notebooks run from top to bottom, and are kept with outputs that are there and light."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "notebooks"
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


def runnable() -> Iterator[Any]:
    for path in NOTEBOOKS:
        mark = FRAMEWORKS.get(path.stem.partition("_")[2])
        yield pytest.param(path, marks=[mark] if mark else [], id=path.stem)


@pytest.mark.slow
@pytest.mark.parametrize("path", list(runnable()))
def test_it_runs_and_its_kept_outputs_are_those_of_a_run(path: Path, tmp_path: Path) -> None:
    """Run in a copy of the folder, with the data beside it; a cell that raises fails the test."""
    shutil.copytree(FOLDER, tmp_path / "notebooks")
    kept = nbformat.read(path, as_version=4)
    fresh = nbformat.read(path, as_version=4)
    NotebookClient(fresh, timeout=240, resources={"metadata": {"path": tmp_path / "notebooks"}}).execute()
    for old, new in zip(code_cells(kept), code_cells(fresh), strict=True):
        kinds = [[output.output_type for output in cell.outputs] for cell in (old, new)]
        assert kinds[0] == kinds[1], f"run {path.name} again and keep its outputs; this cell's are stale:\n{old.source}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_output_is_heavy(path: Path) -> None:
    outputs = [output for cell in code_cells(nbformat.read(path, as_version=4)) for output in cell.outputs]
    assert [size(output) for output in outputs if size(output) > OUTPUT_BYTES] == []


def test_a_card_is_light() -> None:
    clinic = nbformat.read(FOLDER / "02_why_is_it_none.ipynb", as_version=4)
    cards = [output for cell in code_cells(clinic) if "why(" in cell.source for output in cell.outputs]
    assert cards
    assert [size(card) for card in cards if size(card) > CARD_BYTES] == []
