"""A recording beside the program's own, for what is computed again when a reader asks, during the recording or after.

Nothing of the program's runs in it but functions of PyTorch's, and gradient functions of its own: it has the few parts
of the recorder that see those.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import get_ident

import torch
from torch._C import _is_any_autocast_enabled as is_any_autocast_enabled

from tapeviz.events.log import EventLog
from tapeviz.recorders.patches import Patches
from tapeviz.recorders.session import recorded, unheard
from tapeviz.recorders.torch.compiled.switch import uncompiled
from tapeviz.recorders.torch.custom import CustomFunctions
from tapeviz.recorders.torch.grad_attribute import GradAttribute
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.pauses import Pauses
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import only, seen, unseen


class SideRecording:
    """Its session has the tape of the program's recording; the records in its log are for whoever computes to take."""

    def __init__(self, outer: Session) -> None:
        log = EventLog(framework=outer.log.framework, max_bytes=outer.log.max_bytes)
        self.session = session = Session(log)
        session.tape, session.tapes, session.opened = outer.tape, outer.tapes, True
        gradients, self._pauses = GradAttribute(session), Pauses(session)
        self._mode = FunctionMode(session, gradients, self._pauses)
        self._functions = CustomFunctions(session, self._mode, self._pauses)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """A block in which it records, and no other recording does; autograd is switched as when the block begins."""
        patches = Patches()
        self._pauses.begin()
        try:
            patches.install([*self._pauses.rows(), *self._functions.rows(), *self.session.witnesses.rows()])
            with self.computing(), seen(), only(self._mode):
                yield
        finally:
            patches.undo()

    @contextmanager
    def computing(self) -> Iterator[None]:
        """A block of the recorder's own, in this thread: no other recording takes what runs for the program's."""
        self.session.thread = get_ident()
        before = recorded.set(self.session.log)
        try:
            with uncompiled(), unseen():
                yield
        finally:
            recorded.reset(before)
            self.session.log.frame = None


class AutogradState:
    """How autograd and autocast are switched where it is made."""

    def __init__(self) -> None:
        self._follows = torch.is_grad_enabled()
        kinds = ("cpu", "cuda") if is_any_autocast_enabled() else ()
        self._casts: list[tuple[str, bool, torch.dtype | None]] = [
            (each, torch.is_autocast_enabled(each), torch.get_autocast_dtype(each)) for each in kinds
        ]

    @contextmanager
    def restored(self) -> Iterator[None]:
        """A block in which they are so again, and which no recording and no mode sees."""
        with ExitStack() as around:
            around.enter_context(unheard())
            around.enter_context(unseen())
            around.enter_context(torch.set_grad_enabled(self._follows))
            casts = self._casts
            if not casts and is_any_autocast_enabled():
                casts = [(each, False, None) for each in ("cpu", "cuda")]
            for kind, is_on, dtype in casts:
                around.enter_context(torch.autocast(kind, dtype=dtype, enabled=is_on))
            yield
