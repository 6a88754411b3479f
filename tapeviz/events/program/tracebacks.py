"""Tracebacks and warnings of a recorded program -> the same without the frames of recorders.

Recorders stand between a program and what it calls. A framework that knows of them, as PyTorch does, hands a call to
them through a dispatcher, so that the called function is on the stack twice.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, FrameType, TracebackType

_PACKAGE = Path(__file__).parents[2]
_PARTS = ("__main__.py", "cli/", "recorders/", "events/collector_paused.py", "events/undo.py")
WATCHING = tuple(os.path.join(_PACKAGE, name) for name in _PARTS)
"""Where the code is whose frames are left out."""
DISPATCHERS = frozenset({"handle_torch_function"})
"""Functions of a framework that hand a call to a recorder: their caller is the function that is called again."""


def is_watching(code: CodeType) -> bool:
    """Whether a frame of this code is there only because a program is recorded."""
    return code.co_filename.startswith(WATCHING)


def own_calls(codes: Sequence[CodeType]) -> list[int]:
    """The indices of the calls on a stack, outermost first, that would be there without a recording."""
    kept: list[int] = []
    passing = False
    for index, code in enumerate(codes):
        if is_watching(code):
            passing = True
            continue
        if passing and kept and codes[kept[-1]].co_name in DISPATCHERS:
            kept.pop()
            if kept and codes[kept[-1]] is code:
                kept.pop()
        passing = False
        kept.append(index)
    return kept


def own_traceback(traceback: TracebackType | None) -> TracebackType | None:
    """The part of a traceback that would be there without a recording."""
    calls: list[TracebackType] = []
    while traceback is not None:
        calls.append(traceback)
        traceback = traceback.tb_next
    rest: TracebackType | None = None
    for index in reversed(own_calls([each.tb_frame.f_code for each in calls])):
        each = calls[index]
        rest = TracebackType(rest, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return rest


def clean_traceback(error: BaseException) -> None:
    """Remove the frames of recorders from the traceback of an exception, and of those it came from."""
    pending: list[BaseException | None] = [error]
    seen: set[int] = set()
    while pending:
        each = pending.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        BaseException.with_traceback(each, own_traceback(each.__traceback__))
        grouped = each.exceptions if isinstance(each, BaseExceptionGroup) else ()
        pending += (each.__cause__, each.__context__, *grouped)


def own_caller(filename: str) -> FrameType | None:
    """The nearest frame of `filename` up the stack or, if that is a recorder's, the frame that it stands in for."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != filename:
        frame = frame.f_back
    while frame is not None and is_watching(frame.f_code):
        frame = frame.f_back
        if frame is not None and frame.f_code.co_name in DISPATCHERS and frame.f_back is not None:
            frame = frame.f_back.f_back
    return frame
