"""Places in a framework's code -> wrapped while recordings last, and afterwards as they were.

Recordings in several threads may begin and end in any order, so each place knows all that is wrapped around it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from tapeviz.events.undo import Undo

Make: TypeAlias = Callable[[Any], Any]
"""The original value -> the value that a recording puts in its place."""


class Swapped(NamedTuple):
    """A place to patch that is no attribute, such as a slot in C, by functions that set and restore its value.

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

    def as_it_is(self) -> Swapped:
        """The place with its value now."""
        return self


class Wrapped(NamedTuple):
    """An attribute of the framework, and the function that makes the patched value from the original one."""

    owner: Any
    name: str
    make: Make

    @property
    def key(self) -> Any:
        """Identifies the attribute in all recordings."""
        return id(self.owner), self.name

    def as_it_is(self) -> Swapped:
        """The place with its value now; `restore` deletes it if `owner` inherited it or had none."""
        owner, name = self.owner, self.name
        own = vars(owner).get(name, _ABSENT)

        def restore() -> None:
            if own is not _ABSENT:
                setattr(owner, name, own)
            elif name in vars(owner):
                delattr(owner, name)

        before = getattr(owner, name, None) if own is _ABSENT else own
        return Swapped(self.key, before, partial(setattr, owner, name), restore, self.make)


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
        self._lifted = 0

    def begin(self, make: Make) -> None:
        self._makers.append(make)
        self._build()

    def end(self, make: Make) -> None:
        self._makers = [each for each in self._makers if each is not make]
        self._build()

    def lift(self, by: int) -> None:
        """Have the place be as it was before all recordings, by 1, or no longer, by -1."""
        self._lifted += by
        self._build()

    @property
    def is_bare(self) -> bool:
        return not self._makers

    def _build(self) -> None:
        if self.is_bare or self._lifted:
            self._first.restore()
            return
        made = self._first.before
        for make in self._makers:
            made = make(made)
        self._first.put(made)


_places: dict[Any, _Patched] = {}
_lock = threading.RLock()
_ABSENT = object()


def _begin(row: Wrapped | Swapped) -> None:
    place = _places.get(row.key)
    if place is None:
        place = _places[row.key] = _Patched(row.as_it_is())
    place.begin(row.make)


def _lift(keys: Iterable[Any], by: int) -> None:
    for key in keys:
        if key in _places:
            _places[key].lift(by)


def _end(key: Any, make: Make) -> None:
    place = _places.get(key)
    if place is not None:
        place.end(make)
        if place.is_bare:
            del _places[key]


def _alone(act: Callable[..., None], *args: Any) -> None:
    """Call a function while no other thread patches. On one line, since an interrupt comes before a line."""
    with _lock: act(*args)  # noqa: E701  # fmt: skip


class _Hook:
    """A hook that is registered, or for a while is not."""

    def __init__(self, row: Registered) -> None:
        self._row = row
        self._handle: Any = None

    def put(self) -> None:
        self._handle = self._row.register(self._row.hook)

    def remove(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            handle.remove()


class Patches:
    """The places in frameworks that one recording has wrapped, to be put back when it ends."""

    def __init__(self) -> None:
        self._undo = Undo()
        self._keys: set[Any] = set()
        self._hooks: list[_Hook] = []

    def install(self, rows: Iterable[Row]) -> None:
        """Patch all that a table names."""
        for row in rows:
            if isinstance(row, Registered):
                self._register(row)
            else:
                self.finally_(partial(_alone, _end, row.key, row.make))
                _alone(_begin, row)
                self._keys.add(row.key)

    def _register(self, row: Registered) -> None:
        hook = _Hook(row)
        self.finally_(hook.remove)
        self._hooks.append(hook)
        hook.put()

    def lift(self, keeping: Iterable[Any] = ()) -> Callable[[], None]:
        """Have each place be as it was before all recordings, those of other threads too, until the result is called.

        As for a compiler, which takes what it finds there for a part of the program. The places of the keys that it is
        `keeping` stay as they are.
        """
        keys = self._keys.difference(keeping)
        _alone(_lift, keys, 1)
        for each in self._hooks:
            each.remove()

        def lower() -> None:
            _alone(_lift, keys, -1)
            for each in self._hooks:
                each.put()

        return lower

    def has(self, owner: Any, name: str) -> bool:
        """Whether an attribute is wrapped by this recording."""
        return (id(owner), name) in self._keys

    def finally_(self, undo: Callable[[], object]) -> None:
        """Have `undo` called as well when the recording ends, before what was done earlier is undone."""
        self._undo.add(undo)

    def undo(self) -> None:
        """Restore everything, in reverse order, each place on its own."""
        self._undo.run()
