"""The one tape of a recording of PyTorch, and the user's place in the program.

PyTorch has no tape that a program opens: autograd follows whatever requires a gradient. It is one tape here, open from
the first thing that PyTorch does until the recording ends.
"""

from __future__ import annotations

import os
import sys
from types import CodeType, FrameType, TracebackType
from typing import Any

import torch

from tapeviz.events.log import EventLog
from tapeviz.events.program.frames import PACKAGE_FILES, enter_frame, is_library, leave, opens_scopes, resume
from tapeviz.events.raw import ScopeNode, next_id
from tapeviz.events.types import RecordingPaused, TapeClosed, TapeOpened
from tapeviz.recorders import session
from tapeviz.recorders.packages import Attrs, Packages

_FILES = frozenset(each for each in PACKAGE_FILES if each.startswith(os.path.dirname(__file__)))
_OURS, _PACKAGE = "ours", "package"
"""The kinds of the recorder's own files, and of those of packages beside PyTorch; that of other files is whether they
are a library's."""
_DISPATCH = PACKAGE_FILES | {torch.overrides.__file__}
"""The files between a call in the user's code and the recorder."""


class TapeSession(session.Session):
    """The tape, by the log it is in; `caller` is the user's frame that called the running module, `packages` are those
    beside PyTorch, and `package_around` says where one of these has asked for the module."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(log)
        self.tape = next_id()
        self.tapes = (self.tape,)
        self.opened = self._closed = False
        self._began_paused = not torch.is_grad_enabled()
        self.caller: FrameType | None = None
        self.packages = Packages("torch")
        self._kinds: dict[str, Any] = {}
        self.package_around: Attrs = ()

    def open(self) -> None:
        """Open the tape in the log, when PyTorch does something for the first time."""
        if self.opened:
            return
        self.opened = True
        self.log.sign("torch")
        frame = self.frame(1)
        self.log.append(TapeOpened, (self.tape, True, True), code=frame.f_code, lasti=frame.f_lasti)
        if self._began_paused:
            self.log.append(RecordingPaused, (self.tape,))

    def close(self) -> None:
        """Close the tape in the log."""
        if self.opened and not self._closed:
            self._closed = True
            self.log.append(TapeClosed, (self.tape,))

    def fail(self, error: BaseException, traceback: TracebackType | None = None) -> None:
        """Record an error that PyTorch raises, perhaps at its first call."""
        self.open()
        super().fail(error, traceback)

    # ----- the user's place -----

    def frame(self, depth: int) -> FrameType:
        """The nearest frame of the user's, at least `depth` calls up; the outermost frame if there is none.

        The frame of a user's `__torch_function__` does not count, as it passes on a call that was made elsewhere.
        """
        return self.origin(sys._getframe(depth + 1))[0]

    def origin(self, asking: FrameType) -> tuple[FrameType, Attrs]:
        """The same of the frame that asks for an op or calls a module, and where a package between the two does."""
        kinds, caller, frame = self._kinds, self.caller, asking
        passed: Attrs = ()
        while True:
            code = frame.f_code
            kind = kinds.get(code.co_filename)
            if kind is None:
                kind = self._kind_of(code.co_filename)
            if not kind and code.co_name != "__torch_function__":
                return frame, passed
            if kind is _OURS and caller is not None and opens_scopes(code):
                return caller, passed or self.package_around
            outer = frame.f_back
            if outer is None:
                return frame, passed
            if kind is _PACKAGE and not passed:
                passed = self.packages.attribute(code, frame.f_lasti)
            frame = outer

    def _kind_of(self, filename: str) -> Any:
        found = self._kinds.get(filename)
        if found is None:
            found = _OURS if filename in _FILES else _PACKAGE if self.packages.has(filename) else is_library(filename)
            self._kinds[filename] = found
        return found

    def enter(self, depth: int = 0) -> FrameType:
        """The frame that `frame` gives. What is logged next belongs to its scope."""
        return self.enter_from(sys._getframe(depth + 1))[0]

    def enter_from(self, asking: FrameType) -> tuple[FrameType, Attrs]:
        """What `origin` gives. What is logged next belongs to the scope of that frame."""
        frame, passed = self.origin(asking)
        if frame is not self.log.frame:
            self.go_to(frame)
        return frame, passed

    def go_to(self, frame: FrameType) -> None:
        """Set the scope of the log to that of the user's `frame`, or of the running module that it called last."""
        log = self.log
        calls = list(log.path) if frame is self.caller else []
        while calls and not opens_scopes(calls[-1].f_code):
            calls.pop()
        if calls:
            leave(log.path, len(calls))
            resume(log, frame, log.path[calls[-1]])
        else:
            enter_frame(log, frame)

    def in_users_code(self, depth: int) -> bool:
        """Whether the nearest frame outside the recorder and PyTorch's dispatch is the user's own."""
        return not is_library(self.asking_file(depth + 1))

    def asking_file(self, depth: int) -> str:
        """The file of that frame."""
        frame = sys._getframe(depth + 1)
        while frame.f_code.co_filename in _DISPATCH and frame.f_back is not None:
            frame = frame.f_back
        return frame.f_code.co_filename

    def place(self, depth: int = 0) -> tuple[CodeType, int, ScopeNode | None]:
        """The place in the user's program, as in the base class; it opens the tape as well."""
        self.open()
        return super().place(depth + 1)
