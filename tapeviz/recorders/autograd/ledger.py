"""Arrays of the program -> their raw ids, for as long as the program has them; and what an open trace has computed."""

from __future__ import annotations

import weakref
from contextlib import suppress
from typing import Any

import numpy as np

ROOM = 64
"""How many arrays may be known before it is asked which of them are still there."""


class Ledger:
    """What goes into traces and comes out, by identity; of one that went into several, the latest.

    A constant of an open trace is known with a copy: a program that has written into it since then has another.
    """

    def __init__(self) -> None:
        self._ids: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._room = ROOM
        self._constants: dict[int, tuple[Any, Any, int]] = {}

    def note(self, array: Any, raw_id: int) -> None:
        """An array has this raw id; a number, which has no identity to speak of, is passed over."""
        with suppress(TypeError):
            self._ids[id(array)] = weakref.ref(array), raw_id
        if len(self._ids) > self._room:
            self._ids = {key: known for key, known in self._ids.items() if known[0]() is not None}
            self._room = 2 * len(self._ids) + ROOM

    def id_of(self, obj: Any) -> int | None:
        """The raw id of an array; None for anything else."""
        reference, raw_id = self._ids.get(id(obj), (None, None))
        return raw_id if reference is not None and reference() is obj else None

    def note_constant(self, array: Any, copy: Any, raw_id: int) -> None:
        """A trace reads an array that no op of it made."""
        self._constants[id(array)] = array, copy, raw_id
        self.note(array, raw_id)

    def constant(self, array: Any) -> int | None:
        """The id of such an array, if it still holds what it held then."""
        if id(array) not in self._constants:
            return None
        known, copy, raw_id = self._constants[id(array)]
        is_same = known is array and (not isinstance(copy, np.ndarray) or np.array_equal(copy, array))
        return raw_id if is_same else None

    def forget_constants(self) -> None:
        """The outermost trace has ended."""
        self._constants.clear()
