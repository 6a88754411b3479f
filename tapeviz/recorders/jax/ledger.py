"""Arrays of the program's -> their raw ids, for as long as the program has them: a long training makes very many."""

from __future__ import annotations

import weakref
from contextlib import suppress
from functools import partial
from typing import Any


class Ledger:
    """What goes into recorded passes and comes out, by identity; of one that went into several, the latest."""

    def __init__(self) -> None:
        self._ids: dict[int, tuple[weakref.ref[Any], int]] = {}

    def note(self, array: Any, raw_id: int) -> None:
        """An array has this raw id; a number of Python's, which has no identity to speak of, is passed over."""
        key = id(array)
        with suppress(TypeError):
            self._ids[key] = weakref.ref(array, partial(self._forget, key)), raw_id

    def id_of(self, obj: Any) -> int | None:
        """The raw id of an array; None for anything else."""
        reference, raw_id = self._ids.get(id(obj), (None, None))
        return raw_id if reference is not None and reference() is obj else None

    def _forget(self, key: int, reference: weakref.ref[Any]) -> None:
        known = self._ids.get(key)
        if known is not None and known[0] is reference:
            del self._ids[key]
