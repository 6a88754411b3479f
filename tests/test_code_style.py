"""Ruff and mypy have nothing to say, functions and modules are short."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

CHECKS = [
    pytest.param(["ruff", "check", "."], id="ruff check"),
    pytest.param(["ruff", "format", "--check", "."], id="ruff format"),
    pytest.param(["mypy"], id="mypy", marks=pytest.mark.torch),  # whose recorder is checked against its types
]

ROOT = Path(__file__).parents[1]

TOP = {
    *(".ci", ".gitattributes", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md"),
    "SECURITY.md",
    *("benchmarks", "docs", "jsconfig.json", "notebooks", "pyproject.toml", "tapeviz", "tests"),
}
"""What stands at the top of the repository."""


def test_nothing_strays_at_the_top() -> None:
    """What a program left where it ran is easily committed."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-tree", "--name-only", "HEAD"], capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is no clone of the repository")
    assert set(listed.stdout.split()) == TOP


LONG = {
    "engine/backward/sweep.py run": "the loop of the backward pass: what it called would be called for every op",
    "engine/calling/call.py _general": "the call of an op, and what it makes ready for it",
}
"""Functions of more than 40 lines, and why."""


def test_functions_are_short() -> None:
    """Without their signatures and docstrings, which TensorFlow's arguments make long."""
    found = set()
    for path in (ROOT / "tapeviz").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = node.body[1 if ast.get_docstring(node, clean=False) and node.body[1:] else 0]
                if (node.end_lineno or 0) - first.lineno >= 40:
                    found.add(f"{path.relative_to(ROOT / 'tapeviz').as_posix()} {node.name}")
    assert found == LONG.keys()


@pytest.mark.parametrize(("ending", "most"), [("py", 400), ("js", 250)])
def test_modules_are_short(ending: str, most: int) -> None:
    """A longer one hides an idea of its own; none is to be cut for its length alone."""
    lengths = {path: len(path.read_text().splitlines()) for path in (ROOT / "tapeviz").rglob(f"*.{ending}")}
    assert {path.relative_to(ROOT).as_posix() for path, length in lengths.items() if length > most} == set()


PRIVATE_WORDS = {
    *(
        "again",
        "aside",
        "asked",
        "beside",
        "called",
        "given",
        "made",
        "met",
        "raised",
        "said",
        "shown",
        "spent",
    ),
    *("told", "twin", "flat", "gap"),
}
"""Words that tell a stranger nothing, where they are all of the name of a module or of a public function or class."""


def test_names_of_the_debugger_are_words_of_the_field() -> None:
    rooms = ("cli", "diagnosis", "events", "graph", "live", "markup", "recorders", "replay", "source", "views")
    found = set()
    for path in (path for room in rooms for path in (ROOT / "tapeviz" / room).rglob("*.py")):
        defined = [
            each.name for each in ast.parse(path.read_text()).body if isinstance(each, (ast.FunctionDef, ast.ClassDef))
        ]
        for name in (path.stem, *defined):
            if name in PRIVATE_WORDS:
                found.add(f"{path.relative_to(ROOT).as_posix()}: {name}")
    assert found == set()


TWINS = {
    *("History", "Identity", "Variable"),  # TensorFlow has two, one of them Keras'
    *("Initializer", "Constant", "Ones", "Zeros", "RandomNormal", "RandomUniform"),  # and of these
    "Sweep",  # a backward pass, as the engine and the recorders of TensorFlow and PyTorch run it
    "Session",  # one recording: what the parts of TensorFlow's recorder share, and those of PyTorch's
    *("Ledger", "Form", "LoggedOp"),  # and for tensors, names of ops, and ops that a gradient comes back to, likewise
}
"""Names that several classes have, because they are the same thing seen from several sides."""


def test_a_class_has_its_name_for_itself() -> None:
    """Keras has a loss and a metric of each of some names, in namespaces of their own."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / "tapeviz").rglob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, set()).add(path.relative_to(ROOT / "tapeviz").as_posix())
    several = {name: paths for name, paths in found.items() if len(paths) > 1}
    losses_and_metrics = {"tf/keras/losses", "tf/keras/metrics"}
    of_keras = {
        name for name, paths in several.items() if {each.rpartition("/")[0] for each in paths} == losses_and_metrics
    }
    assert several.keys() - of_keras == TWINS


@pytest.mark.parametrize("command", CHECKS)
def test_nothing_to_say(command: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
