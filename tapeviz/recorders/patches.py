"""Places in a framework's code -> wrapped while recordings last, and afterwards as they were.

Recordings in several threads may begin and end in any order, so each place knows all that is wrapped around it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

Make: TypeAlias = Callable[[Any], Any]
"""The original value -> the value that a recording puts in its place."""


class Wrapped(NamedTuple):
    """An attribute of the framework, and the function that makes the patched value from the original one."""

    owner: Any
    name: str
    make: Make


class Swapped(NamedTuple):
    """A place that is not an attribute.

    Attributes:
        key: identifies the place in all recordings.
        before: its value now.
        put: sets another value.
        restore: sets the value of `before` again.
        make: the function that makes the patched value.
    """

    key: Any
    before: Any
    put: Callable[[Any], None]
    restore: Callable[[], None]
    make: Make


class Registered(NamedTuple):
    """A hook, and the framework's function that registers it and returns a handle to remove it."""

    register: Callable[[Any], Any]
    hook: Callable[..., Any]


Row: TypeAlias = Wrapped | Swapped | Registered
"""One line of what a part of a recorder patches."""


def replaced(owner: Any, name: str, value: Any) -> Wrapped:
    """A row that replaces an attribute by a value."""
    return Wrapped(owner, name, lambda before: value)


class _Patched:
    """One place: its value before the first recording, and the functions by which open recordings patch it, in turn."""

    def __init__(self, first: Swapped) -> None:
        self._first = first
        self._makers: list[Make] = []

    def begin(self, make: Make) -> None:
        self._makers.append(make)
        self._build()

    def end(self, make: Make) -> None:
        self._makers = [each for each in self._makers if each is not make]
        self._build()

    @property
    def is_bare(self) -> bool:
        return not self._makers

    def _build(self) -> None:
        if self.is_bare:
            self._first.restore()
            return
        made = self._first.before
        for make in self._makers:
            made = make(made)
        self._first.put(made)


_places: dict[Any, _Patched] = {}
_lock = threading.RLock()


class Patches:
    """All that one recording has patched."""

    def __init__(self) -> None:
        self._made: list[tuple[Any, Make]] = []
        self._last: list[Callable[[], None]] = []

    def install(self, rows: Iterable[Row]) -> None:
        """Patch all that a table names."""
        for row in rows:
            if isinstance(row, Wrapped):
                self._wrap(*row)
            elif isinstance(row, Swapped):
                self._swap(row)
            else:
                self.finally_(row.register(row.hook).remove)

    def _wrap(self, owner: Any, name: str, make: Make) -> None:
        """Put `make(its value)` in the place of an attribute; `undo` deletes it if `owner` inherited it or had none."""
        with _lock:  # another thread must not remove its patch between reading the value and replacing it
            own = vars(owner).get(name, _ABSENT)
            before = getattr(owner, name, None) if own is _ABSENT else own
            self._swap(
                Swapped(
                    (id(owner), name),
                    before,
                    lambda value: setattr(owner, name, value),
                    lambda: delattr(owner, name) if own is _ABSENT else setattr(owner, name, own),
                    make,
                )
            )

    def _swap(self, row: Swapped) -> None:
        with _lock:
            _places.setdefault(row.key, _Patched(row)).begin(row.make)
            self._made.append((row.key, row.make))

    def has(self, owner: Any, name: str) -> bool:
        """Whether an attribute is wrapped by this recording."""
        return any(key == (id(owner), name) for key, _ in self._made)

    def finally_(self, undo: Callable[[], None]) -> None:
        """Have `undo` called as well when the recording ends, before the patched places are restored."""
        self._last.append(undo)

    def undo(self) -> None:
        """Restore everything, in reverse order."""
        while self._last:
            self._last.pop()()
        while self._made:
            key, make = self._made.pop()
            with _lock:
                _places[key].end(make)
                if _places[key].is_bare:
                    del _places[key]


_ABSENT = object()
