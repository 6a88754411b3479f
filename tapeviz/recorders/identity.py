"""Arrays of the program -> their raw ids, for as long as the program has them: a long training makes very many."""

from __future__ import annotations

import weakref
from contextlib import suppress
from typing import Any

ROOM = 64
"""How many objects may be known before it is asked which of them are still there."""


class RawIds:
    """The raw ids of objects, by identity; of one that was noted several times, the latest."""

    def __init__(self) -> None:
        self._ids: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._room = ROOM

    def note(self, obj: Any, raw_id: int) -> None:
        """An object has this raw id; a number, which has no identity to speak of, is passed over."""
        with suppress(TypeError):
            self._ids[id(obj)] = weakref.ref(obj), raw_id
        if len(self._ids) > self._room:  # no callback of the references does it: Ctrl-C would be lost in one
            self._ids = {key: known for key, known in self._ids.items() if known[0]() is not None}
            self._room = 2 * len(self._ids) + ROOM

    def id_of(self, obj: Any) -> int | None:
        """The raw id of an object; None for anything else."""
        reference, raw_id = self._ids.get(id(obj), (None, None))
        return raw_id if reference is not None and reference() is obj else None
