"""`torch.compile` -> the same functions, run eagerly while a recording lasts, so that their ops are seen.

A compiled region would run past the recorder, and its compiler would trace the recorder as part of the program.
"""

from __future__ import annotations

from importlib import import_module
from types import FrameType
from typing import Any

from tapeviz.events.program.frames import open_scopes, scope_called, users_frame
from tapeviz.events.types import FunctionOpened
from tapeviz.phrases import RUN_EAGERLY
from tapeviz.recorders.patches import Patches, Row
from tapeviz.recorders.torch.compiled.compiler import ASKS, MODULE, Compiler, name_of
from tapeviz.recorders.torch.session import Session


class EagerlyRunFunctions(Compiler):
    """The functions that the program compiles, before or during the recording."""

    def __init__(self, session: Session, patches: Patches) -> None:
        super().__init__(session, patches)
        self._announced: set[str] = set()

    def compilers(self) -> list[Row]:
        """A hook at the question how to run."""
        return [self._session.here.instead(import_module(MODULE), ASKS, self._answer)]

    def _answer(self, ask: Any, callback: Any) -> Any:
        if callback is None or callback is False:
            return ask(callback)
        self._entered(users_frame(1))
        _count_no_frames()
        return None

    def _entered(self, wrapper: FrameType) -> None:
        """A compiled function, called through its `wrapper`, begins to run: open a scope that says so."""
        session, log = self._session, self._session.log
        name = name_of(wrapper)
        frame = session.enter(1)
        if name not in self._announced:
            self._announced.add(name)
            session.note(FunctionOpened, attrs=name)
        open_scopes(wrapper.f_code)
        log.path[wrapper] = scope_called(f"{name}{RUN_EAGERLY}", log.scope, frame)


def _count_no_frames() -> None:
    """Switch off the check by which a call with `fullgraph=True` raises an error if no frame has been compiled."""
    counted = getattr(import_module(MODULE), "set_fullgraph_compiled_frame_count", None)
    if counted is not None:
        counted(-1)
