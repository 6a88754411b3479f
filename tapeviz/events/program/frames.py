"""The Python stack -> the user's frame, and the user's calls that led to it."""

from __future__ import annotations

import contextlib
import os
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from threading import get_ident
from types import CodeType, FrameType
from typing import TypeAlias

from tapeviz.events.log import EventLog
from tapeviz.events.program.scope_codes import code_called
from tapeviz.events.raw import ScopeNode

GENERATED = "<tapeviz>"
"""The file name of code that tapeviz writes down and compiles itself."""
PACKAGE_FILES = frozenset(
    (*(str(path) for path in Path(__file__).parents[2].rglob("*.py")), contextlib.__file__, GENERATED)
)
"""The library's own files, and that of `contextlib`, which calls its context managers: never the user's frame."""
LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
INSTALLED = frozenset({"site-packages", "dist-packages"})
"""The folders that packages are installed in, of whatever Python: a user's own, or the one behind an environment."""
DEEPEST_SCOPE = 64
PASSING: set[str] = set()
"""Files of libraries through which a program's code calls the program's, as rewritten code does where it was rewritten.
"""


class _Libraries(dict[str, bool]):
    """Whether a file is a library's, by its name; found out once."""

    def __missing__(self, filename: str) -> bool:
        found = filename in PACKAGE_FILES or filename.startswith((*LIBRARIES, "<frozen"))
        self[filename] = found = found or name_in_package(filename) is not None
        return found


@cache
def name_in_package(filename: str) -> str | None:
    """What a file is called in its package: the path from the folder that it was installed in; None of any other file.

    That may be any folder, as by `pip install --target`.
    """
    path = Path(filename)
    for folder in path.parents:
        inner = path.relative_to(folder)
        if folder.name in INSTALLED or inner.parts[0] in _packages_in(folder):
            return inner.as_posix()
    return None


@cache
def _packages_in(folder: Path) -> frozenset[str]:
    """The top of all that installers have put in a folder; what is only linked from elsewhere has no record there."""
    try:
        names = os.listdir(folder)
    except OSError:  # the code of a program need not come from a folder
        return frozenset()
    records = [os.path.join(folder, name, "RECORD") for name in names if name.endswith(".dist-info")]
    files = [line for record in records if os.path.exists(record) for line in _lines(record)]
    return frozenset([PurePosixPath(file.partition(",")[0]).parts[0] for file in files if file])


def _lines(path: str) -> list[str]:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read().splitlines()


_library = _Libraries()

_scoped: dict[int, CodeType] = {}
"""The code that `open_scopes` was told of, by its id: to hash it takes long."""


def open_scopes(code: CodeType) -> None:
    """From now on, each call of this code opens a scope of its own, and puts it on the log's path.

    A function of the user's that it calls, as a module's `forward`, is that scope.
    """
    _scoped[id(code)] = code


def opens_scopes(code: CodeType) -> bool:
    """Whether each call of this code opens a scope of its own."""
    return id(code) in _scoped


def outward(frame: FrameType | None) -> Iterator[FrameType]:
    """A frame, the one that called it, and so on outward."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def users_frame(depth: int) -> FrameType:
    """The nearest frame, `depth` calls up or further, that is not the library's own."""
    try:
        frame = sys._getframe(depth + 1)
    except ValueError:  # a thread began in the library itself
        frame = sys._getframe()
    while frame.f_code.co_filename in PACKAGE_FILES:
        caller = frame.f_back
        if caller is None:
            break
        frame = caller
    return frame


def asking_frame(depth: int) -> FrameType:
    """The nearest frame outside of all libraries: NumPy reads a tensor on behalf of whoever called it.

    Where there is none, it is the one that waits for this thread; else, as in a test of an installed package, what
    `users_frame` says.
    """
    nearest = users_frame(depth + 1)
    frame: FrameType | None = nearest
    while frame is not None:
        if not _library[frame.f_code.co_filename]:
            return frame
        frame = frame.f_back
    return waiting_for.get(get_ident(), nearest)


waiting_for: dict[int, FrameType] = {}
"""By the id of a thread that a library runs for the user: the user's frame that waits for it."""


_Calls: TypeAlias = tuple[tuple[CodeType, CodeType, int], ...]
_latest: tuple[int, _Calls, ScopeNode | None] = 0, (), None
"""The frame, by its id, that `calls_of` was asked for last, its calls and its scope."""


def calls_of(frame: FrameType) -> ScopeNode | None:
    """The user's calls that led to a frame of theirs, where no log keeps their path; None in a module's own lines.

    One call has one scope, as in a log: of what a comprehension makes all is made in the same.
    """
    global _latest
    calls: list[tuple[CodeType, CodeType, int]] = []
    at = frame
    while at.f_code.co_name != "<module>" and len(calls) < DEEPEST_SCOPE:
        caller = at.f_back
        while caller is not None and caller.f_code.co_filename in PACKAGE_FILES:
            caller = caller.f_back
        if caller is None or _library[caller.f_code.co_filename]:
            break
        calls.append((at.f_code, caller.f_code, caller.f_lasti))
        at = caller
    number, known, node = _latest
    if (number, known) != (id(frame), tuple(calls)):
        node = None
        for call in reversed(calls):
            node = ScopeNode(node, *call)
        _latest = id(frame), tuple(calls), node
    return node


def is_library(filename: str) -> bool:
    """Whether a file is tapeviz's, Python's or an installed package's, rather than the user's."""
    return _library[filename]


def enter_users_frame(log: EventLog, frame: FrameType) -> FrameType:
    """The nearest frame, from `frame` up, that is not the library's own; the log goes on in its scope.

    `log.shortcut` may name a frame of the library, and the user's frame behind it, to which there is no need to walk.
    """
    shortcut, users = log.shortcut
    while frame is not shortcut:
        if frame.f_code.co_filename not in PACKAGE_FILES or (caller := frame.f_back) is None:
            break
        frame = caller
    else:
        frame = users
    if frame is not log.frame:
        enter_frame(log, frame)
    return frame


def enter_frame(log: EventLog, frame: FrameType) -> None:
    """The user's frame changed: find its scope, walking up only to the nearest call that was open before."""
    log.filenames.add(frame.f_code.co_filename)
    resume(log, frame, _scope_of(log, frame))


def _scope_of(log: EventLog, frame: FrameType) -> ScopeNode | None:
    """The scope of a frame, up to which the log's path goes from here on; None of a module's own lines."""
    path = log.path
    inward: list[tuple[FrameType, CodeType | None, int]] = []
    scope: ScopeNode | None = None
    is_opened = False
    left: list[object] = []  # a generator that nobody holds is closed with its frame: its code walks the path, too
    at: FrameType | None = frame
    while at not in path:
        if at is None or at.f_code.co_name == "<module>" or len(inward) == DEEPEST_SCOPE:
            left.extend(path)
            path.clear()
            break
        if id(at.f_code) in _scoped:  # it has yet to open its scope
            at = at.f_back
        else:
            caller, calls, lasti = _call_of(log, at)
            inward.append((at, calls, lasti))
            at = caller
    else:
        while next(reversed(path)) is not at:
            left.append(path.popitem())
        scope, is_opened = path[at], id(at.f_code) in _scoped
    for called, calls, lasti in reversed(inward):
        if scope is None or not is_opened:
            scope = ScopeNode(scope, called.f_code, calls, lasti)
        path[called], is_opened = scope, False
    return scope


def _call_of(log: EventLog, frame: FrameType) -> tuple[FrameType | None, CodeType | None, int]:
    """The frame to go on from outward, and the user's code and instruction that called; none where a library did."""
    caller = frame.f_back
    while caller is not None:
        calls = caller.f_code
        if not _library[calls.co_filename]:
            log.filenames.add(calls.co_filename)
            return caller, calls, caller.f_lasti
        passes = calls.co_filename in PACKAGE_FILES or calls.co_filename in PASSING
        if not passes or id(calls) in _scoped:
            return _beyond_libraries(caller), None, -1
        caller = caller.f_back
    return None, None, -1


def _beyond_libraries(frame: FrameType | None) -> FrameType | None:
    """The nearest frame, from `frame` up, that is the user's or opens scopes."""
    while frame is not None and _library[frame.f_code.co_filename] and id(frame.f_code) not in _scoped:
        frame = frame.f_back
    return frame


def resume(log: EventLog, frame: FrameType, scope: ScopeNode | None) -> None:
    """The log goes on in a user's frame, and in a scope that is open there."""
    log.frame, log.code, log.scope = frame, frame.f_code, scope


def leave(path: dict[FrameType, ScopeNode], depth: int) -> None:
    """Forget the calls that were opened since a log's path was so deep."""
    while len(path) > depth:
        path.popitem()


def scope_called(name: str, outer: ScopeNode | None, frame: FrameType, kind: str = "") -> ScopeNode:
    """A scope of a given name within another, called from the user's `frame`; of a module `kind` is its class."""
    return ScopeNode(outer, code_called(name, kind), frame.f_code, frame.f_lasti)
