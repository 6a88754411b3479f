"""The frames between a framework and the user's line -> the file and line of the package that called the framework."""

from __future__ import annotations

from types import CodeType, FrameType

from tapeviz.events.catalog import WITHIN
from tapeviz.events.program.frames import PACKAGE_FILES, is_library, name_in_package
from tapeviz.source.sites import span_of

Attrs = tuple[tuple[str, str], ...]


class Packages:
    """Installed packages other than the framework's `own`, which are folders of site-packages."""

    def __init__(self, *own: str) -> None:
        self._own = frozenset(own)
        self._known: dict[str, bool] = {}
        self._lines: dict[tuple[int, int], tuple[CodeType, Attrs]] = {}

    def passed(self, frame: FrameType | None, user: FrameType) -> Attrs:
        """The attribute of an op that says where between `frame` and the user's a package asked for it; () if none did.

        That is the innermost of them.
        """
        known = self._known
        while frame is not None and frame is not user:
            filename = frame.f_code.co_filename
            is_one = known.get(filename)
            if is_one is None:
                is_one = known[filename] = self.has(filename)
            if is_one:
                return self.attribute(frame.f_code, frame.f_lasti)
            frame = frame.f_back
        return ()

    def has(self, filename: str) -> bool:
        """Whether a file belongs to such a package."""
        if filename in PACKAGE_FILES or not is_library(filename):
            return False
        inner = name_in_package(filename)
        return inner is not None and inner.partition("/")[0] not in self._own

    def attribute(self, code: CodeType, lasti: int) -> Attrs:
        """The attribute of an op that such a package has asked for at this instruction."""
        found = self._lines.get((id(code), lasti))  # to hash code takes long
        if found is None:
            found = self._lines[id(code), lasti] = code, ((WITHIN, line_within(code, lasti)),)
        return found[1]


def line_within(code: CodeType, lasti: int) -> str:
    """An instruction of an installed package, as a reader finds it: `optax/losses.py, line 12`."""
    return f"{name_in_package(code.co_filename)}, line {span_of(code, lasti)[0]}"
