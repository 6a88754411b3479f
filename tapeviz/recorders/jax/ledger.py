"""Arrays of the program's -> their raw ids, which of them are gradients, and which are variables from pass to pass."""

from __future__ import annotations

import weakref
from typing import Any

from tapeviz.recorders.identity import RawIds
from tapeviz.recorders.jax.witnesses import JaxWitnesses


class Ledger(RawIds):
    """What goes into recorded passes and comes out, by identity; of one that went into several, the latest."""

    def __init__(self) -> None:
        super().__init__()
        self._followed: set[int] = set()
        self.keeps_variables = False
        """Whether what a gradient is taken by is the same variable in each pass, as long as it is the same array."""
        self._going_on: dict[int, weakref.ref[Any]] = {}
        self.witnesses = JaxWitnesses()

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
