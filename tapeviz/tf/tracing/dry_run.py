"""Blocks in which code runs without effect: what it records, draws, prints and writes into variables is undone.

A function is run in one to find out what it would return or raise.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from contextvars import ContextVar
from typing import Any
from weakref import ref

from tapeviz.engine.logs import recording_into
from tapeviz.engine.recording import Noticing, current
from tapeviz.engine.setting import Setting
from tapeviz.engine.tensors.mutable import MutableTensor
from tapeviz.events.log import EventLog
from tapeviz.tf import random_state

is_dry_run: ContextVar[bool] = ContextVar("tapeviz.dry_run", default=False)
"""Whether this is a dry run, in which Python functions that ops wrap (`tf.py_function`) are not called."""
is_undone: ContextVar[bool] = ContextVar("tapeviz.undone", default=False)
"""Whether effects are undone at the end of the block. `tf.print`, an op in TensorFlow, prints nothing in it."""


@contextmanager
def undone() -> Iterator[None]:
    """A block without effects: nothing is recorded, no random number is used up, and writes to variables are undone."""
    now = current.get()
    before: dict[int, tuple[ref[MutableTensor], Any]] = {}  # which holds no variable that the block lets go

    def notice(tensor: Any) -> None:
        if isinstance(tensor, MutableTensor):
            before.setdefault(tensor._id, (ref(tensor), tensor._value))

    current.set(Noticing(recording_into(EventLog(values="none", max_bytes=0)), notice))
    try:
        with Setting(random_state.counting, False), Setting(is_undone, True):
            yield
    finally:
        current.set(now)
        for kept, value in before.values():
            if (variable := kept()) is not None:
                variable._value = value


@contextmanager
def dry_run() -> Iterator[None]:
    """A block that is undone, and in which Python's `print` prints nothing."""
    with Setting(is_dry_run, True), undone(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        yield
