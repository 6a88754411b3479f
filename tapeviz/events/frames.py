"""The Python stack -> the user's line, and the user's calls that led to it."""

from __future__ import annotations

import contextlib
import sys
import sysconfig
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import CodeType, FrameType

from tapeviz.events.log import EventLog
from tapeviz.events.raw import ScopeNode

GENERATED = "<tapeviz>"
"""The file name of code that tapeviz writes down and compiles itself."""
PACKAGE_FILES = frozenset(
    (*(str(path) for path in Path(__file__).parent.parent.rglob("*.py")), contextlib.__file__, GENERATED)
)
"""The library's own files, and that of `contextlib`, which calls its context managers: never the user's frame."""
LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
DEEPEST_SCOPE = 64
_library: dict[str, bool] = {}
"""What `is_library` has said of a file."""

SCOPED: set[CodeType] = set()
"""Code that opens a scope of its own for each of its calls, and puts it on the log's path: a function of the user's
that it calls, as a module's `forward`, is that scope."""


def users_frame(depth: int) -> FrameType:
    """The nearest frame, `depth` calls up or further, that is not the library's own."""
    frame = sys._getframe(depth + 1)
    while frame.f_code.co_filename in PACKAGE_FILES:
        caller = frame.f_back
        if caller is None:
            break
        frame = caller
    return frame


def asking_frame(depth: int) -> FrameType:
    """The nearest frame of a program of the user's own: NumPy reads a tensor for whoever called it.

    Where there is none, as in a test of an installed package, it is what `users_frame` says.
    """
    frame: FrameType | None = sys._getframe(depth + 1)
    known = _library
    while frame is not None:
        filename = frame.f_code.co_filename
        if not (known[filename] if filename in known else is_library(filename)):
            return frame
        frame = frame.f_back
    return users_frame(depth + 1)


def is_library(filename: str) -> bool:
    """Whether a file is tapeviz's, Python's or an installed package's, rather than the user's."""
    found = _library.get(filename)
    if found is None:
        found = filename in PACKAGE_FILES or filename.startswith(LIBRARIES) or filename.startswith("<frozen")
        _library[filename] = found
    return found


def enter_users_frame(log: EventLog, frame: FrameType) -> FrameType:
    """The nearest frame, from `frame` up, that is not the library's own; the log goes on in its scope.

    `log.shortcut` may name a frame of the library, and the user's frame behind it, to which there is no need to walk.
    """
    shortcut, users = log.shortcut
    while frame.f_code.co_filename in PACKAGE_FILES:
        caller = users if frame is shortcut else frame.f_back
        if caller is None:
            break
        frame = caller
    if frame is not log.frame:
        enter_frame(log, frame)
    return frame


def enter_frame(log: EventLog, frame: FrameType) -> None:
    """The user's frame changed: find its scope, walking up only to the nearest call that was open before."""
    path, filenames = log.path, log.filenames
    filenames.add(frame.f_code.co_filename)
    entered: list[tuple[FrameType, CodeType | None, int]] = []
    at: FrameType | None = frame
    while at is not None and at not in path:
        code = at.f_code
        if code.co_name == "<module>" or len(entered) == DEEPEST_SCOPE:
            at = None
        elif code in SCOPED:
            at = at.f_back
        else:
            caller = at.f_back
            while caller is not None and caller.f_code.co_filename in PACKAGE_FILES:
                caller = caller.f_back
            if caller is not None and not is_library(caller.f_code.co_filename):
                filenames.add(caller.f_code.co_filename)
                entered.append((at, caller.f_code, caller.f_lasti))
            else:
                entered.append((at, None, -1))
                while caller is not None and is_library(caller.f_code.co_filename) and caller.f_code not in SCOPED:
                    caller = caller.f_back
            at = caller
    node, is_scoped = None, False
    if at is None:
        path.clear()
    else:
        while next(reversed(path)) is not at:
            path.popitem()
        node, is_scoped = path[at], at.f_code in SCOPED
    for each, caller_code, lasti in reversed(entered):
        if node is None or not is_scoped:
            node = ScopeNode(node, each.f_code, caller_code, lasti)
        is_scoped = False
        path[each] = node
    resume(log, frame, node)


def resume(log: EventLog, frame: FrameType, scope: ScopeNode | None) -> None:
    """The log goes on in a user's frame, and in a scope that is open there."""
    log.frame, log.code, log.scope = frame, frame.f_code, scope


def leave(path: dict[FrameType, ScopeNode], depth: int) -> None:
    """Forget the calls that were opened since a log's path was so deep."""
    while len(path) > depth:
        path.popitem()


@cache
def code_called(name: str) -> CodeType:
    """Code that does nothing, under a name: scopes are told apart by the code that runs in them."""
    nothing: Callable[[], None] = lambda: None  # noqa: E731
    return nothing.__code__.replace(co_name=name)
