"""A program, as the editor has it -> what it printed, the debugger of its recording, the error that ended it.

It runs in the browser, where it is read as a file, and in the tests.
"""

from __future__ import annotations

import ast
import io
import linecache
import re
import traceback
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import tapeviz as tv
from tapeviz.errors import LogError
from tapeviz.events import EventLog, log_of
from tapeviz.recorders.frameworks import nothing_recorded
from tapeviz.views.page.document import document
from tapeviz.views.payload import payload
from tapeviz.views.reading import read

NAME = "program.py"
TENSORFLOW = re.compile(r"^(\s*(?:import|from)) tensorflow\b(?:\.python\b[\w.]*)?", re.MULTILINE)
"""What a tutorial's import names: tapeviz stands in for it, as there is no TensorFlow in a browser."""


def run(source: str) -> dict[str, Any]:
    """Run a program in a recording.

    Returns:
        `printed`: what it wrote, with the value of its last line, as in a notebook; `error`: the traceback, or None;
        `findings`: what is wrong with its gradients, or ""; `page`: the debugger as a page, None where nothing was
        recorded, and `nothing`, which says so.
    """
    source = TENSORFLOW.sub(r"\1 tapeviz", source)
    linecache.cache[NAME] = len(source), None, source.splitlines(keepends=True), NAME
    written, error = io.StringIO(), None
    recording = tv.record()
    log: EventLog | None = None
    with redirect_stdout(written), redirect_stderr(written):
        try:
            with recording as log:
                _run(source)
        except BaseException as raised:  # SystemExit as well: it ends the program, not the page
            error = _told(raised)
    assert log is not None
    nothing = nothing_recorded(log)
    reading = None if nothing else read(log)
    return {
        "printed": written.getvalue(),
        "error": error,
        "findings": str(reading.findings) if reading is not None and reading.findings else "",
        "page": None if reading is None else document(payload(reading)),
        "nothing": nothing,
    }


def _run(source: str) -> None:
    tree = ast.parse(source, NAME)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    names: dict[str, Any] = {"__name__": "__main__", "__file__": NAME}
    exec(compile(tree, NAME, "exec", dont_inherit=True), names)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), NAME, "eval", dont_inherit=True), names)
        if value is not None and not _is_recording(value):
            print(repr(value))


def _is_recording(value: Any) -> bool:
    try:
        log_of(value)
    except (TypeError, LogError, RuntimeError):
        return False
    return True


def _told(error: BaseException) -> str:
    """The traceback from the program's own first line on."""
    at = error.__traceback__
    while at is not None and at.tb_frame.f_code.co_filename != NAME:
        at = at.tb_next
    return "".join(traceback.format_exception(type(error), error, at)).rstrip()
