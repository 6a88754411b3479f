"""`torch.compile` -> the same functions, run eagerly while a recording lasts, so that their ops are seen.

A compiled region would run past the recorder, and its compiler would trace the recorder as part of the program.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import FrameType, MethodType
from typing import Any

import torch

from tapeviz.events.program.frames import open_scopes, scope_called, users_frame
from tapeviz.events.program.inspection import is_a
from tapeviz.events.types import FunctionOpened
from tapeviz.phrases import RUN_EAGERLY
from tapeviz.recorders.hooks import ALWAYS
from tapeviz.recorders.patches import Patches, Row
from tapeviz.recorders.torch.session import Session

_MODULE = "torch._dynamo.eval_frame"
_ASKS = "_callback_from_stance"
"""The function by which compiled functions decide how to run; if it returns None, they run eagerly."""


class CompiledFunctions:
    """The functions that the program compiles, before or during the recording."""

    def __init__(self, session: Session, patches: Patches) -> None:
        self._session = session
        self._patches = patches
        self._announced: set[str] = set()

    def rows(self) -> list[Row]:
        """The compiler, which is imported only where a program uses it."""
        if _MODULE in sys.modules:
            return self._compilers()
        return [ALWAYS.after(torch, "compile", self._compiled)]

    def _compilers(self) -> list[Row]:
        return [self._session.here.instead(import_module(_MODULE), _ASKS, self._answer)]

    def _compiled(self, *args: Any, **kwargs: Any) -> None:
        if not self._patches.has(import_module(_MODULE), _ASKS):
            self._patches.install(self._compilers())

    def _answer(self, ask: Any, callback: Any) -> Any:
        if callback is None or callback is False:
            return ask(callback)
        self._entered(users_frame(1))
        _count_no_frames()
        return None

    def _entered(self, wrapper: FrameType) -> None:
        """A compiled function, called through its `wrapper`, begins to run: open a scope that says so."""
        session, log = self._session, self._session.log
        name = _name(wrapper.f_locals.get("fn"))
        frame = session.enter(1)
        if name not in self._announced:
            self._announced.add(name)
            session.note(FunctionOpened, attrs=name)
        open_scopes(wrapper.f_code)
        log.path[wrapper] = scope_called(f"{name}{RUN_EAGERLY}", log.scope, frame)


def _count_no_frames() -> None:
    """Switch off the check by which a call with `fullgraph=True` raises an error if no frame has been compiled."""
    counted = getattr(import_module(_MODULE), "set_fullgraph_compiled_frame_count", None)
    if counted is not None:
        counted(-1)


def _name(compiled: Any) -> str:
    """The name of a compiled function, or of the class of a compiled module."""
    held = [cell.cell_contents for cell in getattr(compiled, "__closure__", None) or ()]
    owners = [each.__self__ for each in held if type(each) is MethodType]
    modules = [each for each in owners if is_a(each, torch.nn.Module)]
    return type(modules[0]).__name__ if modules else str(getattr(compiled, "__name__", type(compiled).__name__))
