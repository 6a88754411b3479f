"""Arrays of the program's -> their raw ids, for as long as the program has them: a long training makes very many."""

from __future__ import annotations

import weakref
from contextlib import suppress
from typing import Any

from tapeviz.recorders.jax.witnesses import JaxWitnesses

ROOM = 64
"""How many arrays may be known before it is asked which of them are still there."""


class Ledger:
    """What goes into recorded passes and comes out, by identity; of one that went into several, the latest."""

    def __init__(self) -> None:
        self._ids: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._room = ROOM
        self._followed: set[int] = set()
        self.keeps_variables = False
        """Whether what a gradient is taken by is the same variable in each pass, as long as it is the same array."""
        self._going_on: dict[int, weakref.ref[Any]] = {}
        self.witnesses = JaxWitnesses()

    def note(self, array: Any, raw_id: int) -> None:
        """An array has this raw id; a number of Python's, which has no identity to speak of, is passed over."""
        with suppress(TypeError):
            self._ids[id(array)] = weakref.ref(array), raw_id
        if len(self._ids) > self._room:  # no callback of the references does it: Ctrl-C would be lost in one
            self._ids = {key: known for key, known in self._ids.items() if known[0]() is not None}
            self._room = 2 * len(self._ids) + ROOM

    def id_of(self, obj: Any) -> int | None:
        """The raw id of an array; None for anything else."""
        reference, raw_id = self._ids.get(id(obj), (None, None))
        return raw_id if reference is not None and reference() is obj else None

    def follow(self, array: Any, raw_id: int) -> None:
        """An array is a gradient, or is computed from some: so is what the program goes on to compute from it."""
        self.note(array, raw_id)
        self._followed.add(raw_id)

    def is_followed(self, array: Any) -> bool:
        """Whether an array comes of a gradient."""
        return self.id_of(array) in self._followed

    def go_on(self, old: Any, new: Any, raw_id: int) -> None:
        """A new array takes the place of an old one, as a variable that is written."""
        self._going_on.pop(id(old), None)
        self.stay(new, raw_id)

    def stay(self, array: Any, raw_id: int) -> None:
        """An array is the same variable in each pass that it goes into."""
        self.note(array, raw_id)
        self._going_on[id(array)] = weakref.ref(array)

    def copied(self, original: Any, copy: Any) -> None:
        """A copy stands for an array whose memory is about to be given away."""
        raw_id = self.id_of(original)
        if raw_id is not None:
            (self.note if self.variable(original) is None else self.stay)(copy, raw_id)

    def variable(self, array: Any) -> int | None:
        """The raw id of an array that is a variable from pass to pass."""
        reference = self._going_on.get(id(array))
        return self.id_of(array) if reference is not None and reference() is array else None
