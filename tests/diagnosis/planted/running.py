"""A program's text -> its gradients as the framework gives them, and the findings of its recording."""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

import tapeviz
from tapeviz.events import EventLog
from tapeviz.events.program.frames import GENERATED
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


def _executed(text: str, filename: str) -> dict[str, Any]:
    """The names that a program leaves."""
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    space = {"__name__": "planted", "__file__": filename}
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        exec(compile(text, filename, "exec"), space)
    return space


def _filename() -> str:
    return f"<planted {next(_count)}>"


def plain(text: str) -> Numbers:
    """The gradients of a program that runs alone."""
    try:
        return numbers(_executed(text, _filename())["gradients"])
    finally:
        _as_it_was()


def findings(text: str) -> list[Told]:
    """What is said of a program that runs in a recording; it may raise."""
    filename = _filename()
    logs: list[EventLog] = []
    with tapeviz.record() as log, _jax_recorded(logs.append):
        try:
            _executed(text, filename)
        except Exception as error:
            logs += [error.log] if hasattr(error, "log") else []
    _as_it_was()
    logs = logs or [log]
    said = [
        Told(
            each.severity,
            each.cause,
            each.site.line if each.site is not None and each.site.filename == filename else None,
            each.message,
            each.fix,
        )
        for one in logs
        for each in tapeviz.diagnose(one)
    ]
    return list(dict.fromkeys(said))


@dataclass(frozen=True)
class _Differentiated:
    """What `jax.grad(f)` gives in a recording, or `jax.value_and_grad(f)`: `f` is recorded where it is called."""

    jax: Any
    plain: tuple[Any, Any]
    keep: Callable[[EventLog], None]
    is_value_wanted: bool
    f: Callable[..., Any]
    argnums: Any = 0
    has_aux: bool = False

    def __call__(self, *args: Any, **named: Any) -> Any:
        recording = self.jax.grad, self.jax.value_and_grad
        self.jax.grad, self.jax.value_and_grad = self.plain
        try:
            log = tapeviz.record_jax(self.f, *args, argnums=self.argnums, has_aux=self.has_aux, **named)
        finally:
            self.jax.grad, self.jax.value_and_grad = recording
        self.keep(log)
        if self.is_value_wanted:
            return log.result, log.gradients
        return (log.gradients, log.result[1]) if self.has_aux else log.gradients

    __call__.__code__ = __call__.__code__.replace(
        co_filename=GENERATED
    )  # no frame of the program's, whose lines are told


@contextmanager
def _jax_recorded(keep: Callable[[EventLog], None]) -> Iterator[None]:
    """In the block `jax.grad` and `jax.value_and_grad` record what they differentiate, as `record_jax` does."""
    jax = sys.modules.get("jax")
    if jax is None:
        yield
        return
    plain = jax.grad, jax.value_and_grad
    jax.grad, jax.value_and_grad = (partial(_Differentiated, jax, plain, keep, wanted) for wanted in (False, True))
    try:
        yield
    finally:
        jax.grad, jax.value_and_grad = plain


def _as_it_was() -> None:
    """A fault may leave recording switched off."""
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "set_grad_enabled"):
        torch.set_grad_enabled(True)
    keras = sys.modules.get("keras")
    if keras is not None and hasattr(keras, "backend"):
        keras.backend.clear_session()
