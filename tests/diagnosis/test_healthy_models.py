"""What the documents and the notebooks show as working hears nothing but hints."""

from __future__ import annotations

import contextlib
import io
import linecache
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

import tapeviz as tv
from tapeviz.diagnosis import Answer, Findings
from tapeviz.events import EventLog, log_of
from tests.diagnosis.programs import loud
from tests.oracle import Program, read_program, run

ROOT = Path(__file__).parents[2]
DOCUMENTS = {path.stem: read_program(path) for path in sorted((ROOT / "tests" / "programs").glob("*.py"))}
MARKS = {"tensorflow": pytest.mark.tensorflow, "pytorch": pytest.mark.torch, "jax": pytest.mark.jax}
NOTEBOOKS = [
    pytest.param(path, marks=[MARKS[name]] if (name := path.stem.partition("_")[2]) in MARKS else [], id=path.stem)
    for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
]


def works(program: Program) -> bool:
    """Whether a document shows a program for what it gives, and not for an error or a gradient that is None."""
    return program.raises is None and not any("None" in line for line in program.printed or ())


def recorded(program: Program, framework: str) -> EventLog:
    with tv.record() as log:
        run(program, framework)
    return log


@pytest.mark.parametrize("name", [name for name, program in DOCUMENTS.items() if works(program)])
def test_a_program_of_the_documents_is_silent(name: str) -> None:
    assert loud(recorded(DOCUMENTS[name], "tapeviz")) == []


@pytest.mark.tensorflow
@pytest.mark.parametrize("name", [name for name, program in DOCUMENTS.items() if works(program)])
def test_so_it_is_in_tensorflow(name: str) -> None:
    assert loud(recorded(DOCUMENTS[name], "tensorflow")) == []


@pytest.mark.parametrize("name", [name for name, program in DOCUMENTS.items() if not works(program)])
def test_a_program_that_shows_a_trap_is_not(name: str) -> None:
    assert loud(recorded(DOCUMENTS[name], "tapeviz"))


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_what_a_notebook_does_not_ask_about_is_silent(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recording with a planted fault is one of which the notebook itself shows a finding."""
    explained: list[EventLog] = []
    for verb in ("why", "diagnose"):
        monkeypatch.setattr(tv, verb, _noting(getattr(tv, verb), explained))
    healthy = [log for log in _recordings(path, monkeypatch) if not any(log is each for each in explained)]
    monkeypatch.undo()
    assert healthy
    assert [finding for log in healthy for finding in loud(log)] == []


def _noting(verb: Callable[..., Any], explained: list[EventLog]) -> Callable[..., Any]:
    def noting(recording: Any, *asked: Any) -> Any:
        said = verb(recording, *asked)
        if not isinstance(said, Answer) and not (isinstance(said, Findings) and not len(said)):
            explained.append(log_of(recording))
        return said

    return noting


def _recordings(path: Path, monkeypatch: pytest.MonkeyPatch) -> list[EventLog]:
    """What the cells of a notebook leave under a name: tapes and logs, each once."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    monkeypatch.chdir(path.parent)
    space: dict[str, Any] = {"__name__": "__main__"}
    found: dict[int, EventLog] = {}
    for number, cell in enumerate(nbformat.read(path, as_version=4).cells):
        if cell.cell_type == "code":
            name, lines = f"<{path.stem} {number}>", cell.source.splitlines(keepends=True)
            linecache.cache[name] = (len(cell.source), None, lines, name)
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(cell.source, name, "exec"), space)
            kept = [each for each in space.values() if isinstance(each, (EventLog, tv.GradientTape))]
            found.update((id(log), log) for log in map(log_of, kept))
    pyplot.close("all")
    return list(found.values())
