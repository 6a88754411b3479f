"""Places in a framework's code -> wrapped while recordings last, and afterwards as they were.

Recordings in several threads may begin and end in any order, so each place knows all that is wrapped around it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial, wraps
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
        is_so: whether the value outside of all recordings is that of `before`, where that is known.
    """

    key: Any
    before: Any
    put: Callable[[Any], None]
    restore: Callable[[], None]
    make: Make
    is_so: Callable[[], bool] = bool

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
        held = vars(owner)
        own = held.get(name, _ABSENT)

        def restore() -> None:
            if own is not _ABSENT:
                setattr(owner, name, own)
            elif name in held:
                delattr(owner, name)

        def is_so() -> bool:
            now = held.get(name, _ABSENT)
            return now is own and (now is not _ABSENT or getattr(owner, name, None) is before)

        before = getattr(owner, name, None) if own is _ABSENT else own
        return Swapped(self.key, before, partial(setattr, owner, name), restore, self.make, is_so)


class Registered(NamedTuple):
    """A hook, and the framework's function that registers it and returns a handle to remove it."""

    register: Callable[[Any], Any]
    hook: Callable[..., Any]


class Acting:
    """What makes of a function one that calls `act` with it, and its own arguments, while `holds()`."""

    __slots__ = ("act", "holds")

    def __init__(self, holds: Callable[[], bool], act: Callable[..., Any]) -> None:
        self.holds = holds
        self.act = act

    def __call__(self, original: Any) -> Any:
        standing = Standing(original)
        standing.acting = self
        return standing.call


class Standing:
    """A function around another one, the `call`, which is made once: to make one takes longer than to have it `acting`.

    It does what it is told to; with None it is the original.
    """

    def __init__(self, original: Any) -> None:
        self.acting: Acting | None = None

        @wraps(original)
        def call(*args: Any, **kwargs: Any) -> Any:
            acting = self.acting
            if acting is None or not acting.holds():
                return original(*args, **kwargs)
            return acting.act(original, *args, **kwargs)

        self.call = call


Row: TypeAlias = Wrapped | Swapped | Registered
"""One line of what a part of a recorder patches."""


def replaced(owner: Any, name: str, value: Any) -> Wrapped:
    """A row that replaces an attribute by a value."""
    return Wrapped(owner, name, lambda before: value)


class _Patched:
    """One place: its value before the first recording, and the functions by which open recordings patch it, in turn.

    Between recordings it is kept, as they come one after the other; `is_so` tells whether the value is still that one.
    """

    def __init__(self, first: Swapped) -> None:
        # Without its `make`, which holds on to the first recording, while the place is kept.
        self._before, self._put, self._restore = first.before, first.put, first.restore
        self.makers: list[Make] = []
        self._standing: Standing | None = None
        self._lifted = 0
        self.is_so = first.is_so

    def begin(self, make: Make) -> None:
        self.makers.append(make)
        self._build(self.makers)

    def end(self, make: Make) -> None:
        others = [each for each in self.makers if each is not make]
        if len(others) < len(self.makers):  # else it has ended, and the place is the program's again
            self._lifted = self._lifted if others else 0
            self._build(others)
            self.makers = others

    def lift(self, by: int) -> None:
        """Have the place be as it was before all recordings, by 1, or no longer, by -1."""
        self._lifted += by
        self._build(self.makers)

    def _build(self, makers: list[Make]) -> None:
        standing = self._standing
        if not makers or self._lifted:
            self._restore()
            if standing is not None:
                standing.acting = None
            return
        only = makers[0]
        if type(only) is Acting and len(makers) == 1:
            if standing is None:
                standing = self._standing = Standing(self._before)
            standing.acting = only
            self._put(standing.call)
            return
        made = self._before
        for make in makers:
            made = make(made)
        self._put(made)


_places: dict[Any, _Patched] = {}
"""Places that recordings patch, and those that they have patched, which are as they were."""
_lock = threading.RLock()
_ABSENT = object()

_Keyed: TypeAlias = tuple[Any, Wrapped | Swapped]
"""A row, and the key of its place, which is worked out once."""


def _begin(rows: Iterable[_Keyed]) -> None:
    for key, row in rows:
        place = _places.get(key)
        if place is None or not (place.makers or place.is_so()):
            place = _places[key] = _Patched(row.as_it_is())
        place.begin(row.make)


def _lift(keys: Iterable[Any], by: int) -> None:
    for key in keys:
        place = _places.get(key)
        if place is not None and place.makers:
            place.lift(by)


def _end(rows: Sequence[_Keyed]) -> None:
    """Take these away, the last one first. What is raised at one keeps no other from its end.

    Raises:
        Exception: what was raised last.
    """
    failure: Exception | None = None
    for key, row in reversed(rows):
        try:
            place = _places.get(key)
            if place is not None:
                place.end(row.make)
        except Exception as error:
            failure = error
    if failure is not None:
        raise failure


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
        rows = list(rows)
        places = [(row.key, row) for row in rows if not isinstance(row, Registered)]
        self.finally_(partial(_alone, _end, places))
        _alone(_begin, places)
        self._keys.update([key for key, _ in places])
        for row in rows:
            if isinstance(row, Registered):
                self._register(row)

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
