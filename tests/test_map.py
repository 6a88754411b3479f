"""Where things are, as a newcomer asks: each answer follows from the names and first lines of folders and modules."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import tapeviz

PACKAGE = Path(tapeviz.__file__).parent

QUESTIONS = {
    "which file answers `tv.why`?": ("diagnosis/why.py", "why one gradient is what it is"),
    "which file answers `tv.diagnose`?": ("diagnosis/diagnose.py", "everything that is wrong in a recording"),
    "what runs as `with tv.record()`?": ("recorders/record.py", "one log around a whole stretch of program"),
    "where is the row of `tanh`, with its rule?": ("engine/ops/math.py", "op table"),
    "where is the formula of `tanh`?": ("events/ops/math.py", "what a reader may know"),
    "where would a new cause of None go?": ("diagnosis/none/__init__.py", "why a gradient is None"),
    "where is it said what a gradient that is zero everywhere comes of?": ("diagnosis/zero/__init__.py", "zero"),
    "what turns a log into boxes and links?": ("graph/__init__.py", "EventLog -> Graph"),
    "what makes steps of a backward pass?": ("replay/__init__.py", "steps"),
    "what reads the line of a program that an op stands at?": ("source/sites.py", "the user's source"),
    "which file writes a log to disk?": ("events/store/save.py", "one file"),
    "which file writes an offline page?": ("views/page/save_html.py", "page"),
    "where are the words that PyTorch's users know?": ("diagnosis/dialects/phrases.py", "phrase"),
    "what is known of an op by readers of a log?": ("events/catalog.py", "what a reader may know"),
    "what runs when a script is recorded in a terminal?": ("cli/run.py", "run"),
    "where is the picture laid out?": ("views/layout/__init__.py", "where every box stands"),
    "how does a tape walk back?": ("engine/backward/sweep.py", "backward"),
    "who records `loss.backward()` of PyTorch?": ("recorders/torch/backward/__init__.py", "autograd"),
}
"""What a newcomer asks, the file that answers it, and words that its first line must hold."""


@pytest.fixture(params=QUESTIONS.values(), ids=QUESTIONS)
def answer(request: pytest.FixtureRequest) -> tuple[str, str]:
    return request.param


def test_a_file_says_in_its_first_line_that_it_answers(answer: tuple[str, str]) -> None:
    path, words = answer
    first = (ast.get_docstring(ast.parse((PACKAGE / path).read_text(encoding="utf-8"))) or "").partition("\n")[0]
    assert words.lower() in first.lower(), first


def test_the_way_to_a_file_is_told_by_the_maps(answer: tuple[str, str]) -> None:
    """Each folder on the way is named in the map of the one above it, or in CONTRIBUTING's picture of the house."""
    house = (PACKAGE.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    path, _ = answer
    room, *folders = Path(path).parent.parts
    assert re.search(rf"\b{room}\b", house), room
    for depth, folder in enumerate(folders):
        above = PACKAGE.joinpath(room, *folders[:depth], "__init__.py").read_text(encoding="utf-8")
        assert f"`{folder}/`" in above, path


def test_there_is_little_at_the_top() -> None:
    entries = {path.name for path in PACKAGE.iterdir()} - {"__init__.py", "__main__.py", "py.typed", "__pycache__"}
    assert len(entries) <= 16
