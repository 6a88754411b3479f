"""`torch.compile` -> the same functions, run eagerly while a recording lasts, so that their ops are seen.

A compiled region would run past the recorder, and its compiler would trace the recorder as part of the program.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import FrameType
from typing import Any

import torch

from tapeviz.events.program.frames import open_scopes, scope_called, users_frame
from tapeviz.events.types import FunctionOpened
from tapeviz.recorders.hooks import ALWAYS
from tapeviz.recorders.patches import Patches, Row
from tapeviz.recorders.torch.session import Session

_MODULE = "torch._dynamo.eval_frame"
_ASKS = "_callback_from_stance"
"""Every compiled function asks this, with its compiler, how to run; None says: eagerly."""


class CompiledFunctions:
    """What the program compiled before the recording, and what it compiles in it."""

    def __init__(self, session: Session, patches: Patches) -> None:
        self._session = session
        self._patches = patches
        self._told: set[str] = set()

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
        """A compiled function begins to run, called through its `wrapper`: what it does is in a scope that says so."""
        session, log = self._session, self._session.log
        name = _name(wrapper.f_locals.get("fn"))
        frame = session.enter(1)
        if name not in self._told:
            self._told.add(name)
            session.note(FunctionOpened, attrs=name)
        open_scopes(wrapper.f_code)
        log.path[wrapper] = scope_called(f"{name} (compiled, run eagerly)", log.scope, frame)


def _count_no_frames() -> None:
    """With `fullgraph=True` PyTorch counts the frames that a call compiles, and refuses to have run without any."""
    counted = getattr(import_module(_MODULE), "set_fullgraph_compiled_frame_count", None)
    if counted is not None:
        counted(-1)


def _name(compiled: Any) -> str:
    """What a compiled function is called; a module, which is compiled by way of its `__call__`, by its class."""
    held = [cell.cell_contents for cell in getattr(compiled, "__closure__", None) or ()]
    modules = [each.__self__ for each in held if isinstance(getattr(each, "__self__", None), torch.nn.Module)]
    return type(modules[0]).__name__ if modules else str(getattr(compiled, "__name__", type(compiled).__name__))
