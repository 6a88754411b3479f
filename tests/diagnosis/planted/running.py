"""A program's text -> its gradients as the framework gives them, and the findings of its recording."""

from __future__ import annotations

import linecache
import os
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from itertools import count
from typing import Any

import tapeviz
from tests.diagnosis.planted.symptoms import Numbers, numbers

_count = count()


@dataclass(frozen=True)
class Told:
    """What a finding says, for another process."""

    severity: str
    cause: str
    line: int | None
    message: str
    fix: str

    @property
    def is_loud(self) -> bool:
        return self.severity != "hint"

    def __str__(self) -> str:
        return f"{self.severity} {self.cause} at line {self.line or 'of no line of it'}: {self.message}"


def executed(text: str, filename: str) -> dict[str, Any]:
    """The names that a program leaves."""
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    space = {"__name__": "planted", "__file__": filename}
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        exec(compile(text, filename, "exec", dont_inherit=True), space)
    return space


def _filename() -> str:
    return f"<planted {next(_count)}>"


def plain(text: str) -> Numbers:
    """The gradients of a program that runs alone."""
    try:
        return numbers(executed(text, _filename())["gradients"])
    finally:
        _as_it_was()


def findings(text: str) -> list[Told]:
    """What is said of a program that runs in a recording; it may raise."""
    return recorded(text)[0]


def recorded(text: str) -> tuple[list[Told], Exception | None]:
    """The same, and what the program raised."""
    filename, raised = _filename(), None
    try:
        with tapeviz.record() as log:
            executed(text, filename)
    except Exception as error:
        raised = error
    _as_it_was()
    said = [
        Told(
            each.severity,
            each.cause,
            each.site.line if each.site is not None and each.site.filename == filename else None,
            each.message,
            each.fix,
        )
        for each in tapeviz.diagnose(log)
    ]
    return list(dict.fromkeys(said)), raised


def _as_it_was() -> None:
    """A fault may leave recording switched off."""
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "set_grad_enabled"):
        torch.set_grad_enabled(True)
    keras = sys.modules.get("keras")
    if keras is not None and hasattr(keras, "backend"):
        keras.backend.clear_session()
