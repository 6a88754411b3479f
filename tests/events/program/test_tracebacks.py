"""Which frames of a stack are the program's own."""

from __future__ import annotations

import warnings
from pathlib import Path
from types import CodeType

import pytest

import tapeviz
from tapeviz.events.program.tracebacks import own_calls, own_traceback
from tapeviz.recorders.warning_places import Warnings

RECORDER = str(Path(tapeviz.__file__).parent / "recorders" / "torch" / "mode.py")


def code(name: str, filename: str = "/home/user/program.py") -> CodeType:
    return compile("pass", filename, "exec").replace(co_name=name)


USER, FORWARD, BACKWARD, ENGINE = code("user"), code("forward"), code("backward"), code("run_backward")
WATCH, DISPATCH = code("__torch_function__", RECORDER), code("handle_torch_function")


@pytest.mark.parametrize(
    ("stack", "alone"),
    [
        ([], []),
        ([USER, BACKWARD], [USER, BACKWARD]),
        ([WATCH, USER], [USER]),
        ([USER, WATCH], [USER]),
        ([USER, WATCH, WATCH, ENGINE], [USER, ENGINE]),
        ([USER, BACKWARD, DISPATCH, WATCH, BACKWARD, ENGINE], [USER, BACKWARD, ENGINE]),
        ([USER, DISPATCH, WATCH, BACKWARD], [USER, BACKWARD]),
        ([USER, USER, WATCH, USER], [USER, USER, USER]),
        ([FORWARD, DISPATCH, WATCH, FORWARD, BACKWARD, DISPATCH, WATCH, BACKWARD], [FORWARD, BACKWARD]),
        ([USER, DISPATCH, BACKWARD], [USER, DISPATCH, BACKWARD]),
    ],
)
def test_calls_that_a_program_alone_would_not_make_are_left_out(stack: list[CodeType], alone: list[CodeType]) -> None:
    assert [stack[index] for index in own_calls(stack)] == alone


def through_a_recorder(text: str) -> dict[str, object]:
    """Names of a program in which `watched(f)` calls f from a recorder's file."""
    names: dict[str, object] = {}
    exec(compile("def watched(f): return f()", RECORDER, "exec"), names)
    exec(compile(text, "/home/user/program.py", "exec"), names)
    return names


def test_a_traceback() -> None:
    names = through_a_recorder("def inner():\n    1 / 0\ndef outer():\n    watched(inner)\n")
    with pytest.raises(ZeroDivisionError) as caught:
        names["outer"]()
    traceback, seen = own_traceback(caught.value.__traceback__), []
    while traceback is not None:
        seen.append((traceback.tb_frame.f_code.co_name, traceback.tb_lineno))
        traceback = traceback.tb_next
    assert seen[1:] == [("outer", 4), ("inner", 2)]


def test_a_warning_is_about_the_line_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, int]] = []
    monkeypatch.setattr(warnings, "showwarning", lambda *about: told.append(about[2:4]))
    before = warnings.showwarning
    text = "import warnings\ndef odd():\n    warnings.warn('careful', stacklevel=2)\ndef user():\n    watched(odd)\n"
    names = through_a_recorder(text)
    warnings.simplefilter("always")
    shown = Warnings()
    shown.open()
    names["user"]()
    warnings.warn_explicit("plain", UserWarning, "/home/user/other.py", 7)
    shown.close()
    assert told == [("/home/user/program.py", 5), ("/home/user/other.py", 7)]
    assert warnings.showwarning is before


@pytest.mark.parametrize("first", [0, 1])
def test_two_that_overlap_end_in_either_order(first: int) -> None:
    before = warnings.showwarning
    both = [Warnings(), Warnings()]
    for each in both:
        each.open()
    both[first].close()
    assert warnings.showwarning != before
    both[1 - first].close()
    assert warnings.showwarning is before


def test_what_the_program_shows_warnings_with_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    shown, own = Warnings(), lambda *about: None
    shown.open()
    monkeypatch.setattr(warnings, "showwarning", own)
    shown.close()
    assert warnings.showwarning is own
