"""The names a user finds, and that each of them is what it says."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any

import tapeviz
from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.events.program.frames import GENERATED


def test_every_verb_is_there_and_says_what_it_takes_gives_and_raises() -> None:
    for name in tapeviz.VERBS:
        verb = getattr(tapeviz, name)
        returned = inspect.signature(verb).return_annotation not in (None, "None")
        parts = ("Args:", *(["Returns:"] if returned else []), "Raises:", ">>>")
        assert callable(verb)
        assert [part for part in parts if part not in (inspect.getdoc(verb) or "")] == [], name


def test_dir_lists_what_belongs_to_the_debugger() -> None:
    listed = dir(tapeviz)
    for name in (*tapeviz.VERBS, *tapeviz.ENGINE, "record", "configure", "errors"):
        assert name in listed
        getattr(tapeviz, name)
    for name in ("reduce_sum", "float32", "nn", "keras", "Any", "import_module", "event_log", "logs", "_show", "VERBS"):
        assert name not in listed
    assert len(listed) <= 50


def test_a_function_says_how_it_is_called_and_which_errors_it_raises() -> None:
    assert [name for name, function in EXPORTS.items() if not inspect.signature(function)] == []
    assert {name: errors for name, function in EXPORTS.items() if (errors := unsaid_errors(function))} == {}


def unsaid_errors(function: Any) -> set[str]:
    """The errors that a function raises itself and its docstring does not name."""
    written = inspect.unwrap(function)
    if inspect.isclass(written) or written.__code__.co_filename == GENERATED:
        return set()
    code = ast.parse(textwrap.dedent(inspect.getsource(written)))
    calls = [each.exc for each in ast.walk(code) if isinstance(each, ast.Raise) and isinstance(each.exc, ast.Call)]
    raised = {ast.unparse(call.func) for call in calls}
    said = inspect.getdoc(function) or ""
    return {error for error in raised if error[0].isupper() and error not in said}
