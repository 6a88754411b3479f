"""Arrays of the program -> their raw ids, for as long as the program has them; and what an open trace has computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.recorders.identity import RawIds


class Ledger(RawIds):
    """What goes into traces and comes out, by identity; of one that went into several, the latest.

    A constant of an open trace is known with a copy: a program that has written into it since then has another.
    """

    def __init__(self) -> None:
        super().__init__()
        self._constants: dict[int, tuple[Any, Any, int]] = {}

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
