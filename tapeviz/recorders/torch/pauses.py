"""`no_grad`, `inference_mode`, `set_grad_enabled` -> pauses of the tape, at the line that opened them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

import torch

from tapeviz.events.program.inspection import code_of
from tapeviz.events.types import RecordingPaused, RecordingResumed
from tapeviz.recorders.patches import Row
from tapeviz.recorders.torch.session import Session

_CONTEXTS = torch.utils._contextlib.__file__


class Pauses:
    """Records when autograd is switched on and off."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._enabled = torch.is_grad_enabled()

    def rows(self) -> list[Row]:
        """A hook at `inference_mode`, which calls no function that a mode sees."""
        names = ("__enter__", "__exit__")
        return [self._session.here.after(torch.inference_mode, name, self._switched) for name in names]

    def begin(self) -> None:
        """A recording goes on: autograd is switched as it is now."""
        self._enabled = torch.is_grad_enabled()

    def switch(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of `torch._C._set_grad_enabled`, which all other ways of switching use."""
        out = func(*args, **kwargs)
        self._switched()
        return out

    @contextmanager
    def pause(self) -> Iterator[None]:
        """A block in which autograd is off without a call that switches it off."""
        before = self._enabled
        if before:
            self._set(False)
        try:
            yield
        finally:
            if before:
                self._set(True)

    def _switched(self, *_: Any) -> None:
        self._set(torch.is_grad_enabled())

    def _set(self, enabled: bool) -> None:
        if enabled == self._enabled:
            return
        self._enabled = enabled
        session = self._session
        session.open()
        if enabled:
            session.log.append(RecordingResumed, (session.tape,))
        else:
            code, lasti = self._opener()
            session.log.append(RecordingPaused, (session.tape,), code=code, lasti=lasti)

    def _opener(self) -> tuple[CodeType, int]:
        """The user's line; of a decorated function the line that the decorator is in (a module has none)."""
        user = self._session.frame(2)
        frame: Any = sys._getframe(2)
        while frame is not user:
            called = frame.f_code
            if called.co_filename == _CONTEXTS and "func" in called.co_freevars:
                decorated = code_of(frame.f_locals["func"])
                if decorated is not None:
                    return decorated, -1
            frame = frame.f_back
        return user.f_code, user.f_lasti
