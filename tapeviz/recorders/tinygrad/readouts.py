"""A value leaves tinygrad's graph -> its record: for Python, for NumPy, or for a buffer, to which no op leads."""

from __future__ import annotations

from functools import partial
from typing import Any

from tinygrad import Tensor
from tinygrad import tensor as tensors

from tapeviz.events.types import ReadOut
from tapeviz.recorders.hooks import When
from tapeviz.recorders.patches import Row
from tapeviz.recorders.tinygrad.ops import Ops
from tapeviz.recorders.tinygrad.session import Session

SPELLINGS = {
    "item": ".item()",
    "numpy": ".numpy()",
    "tolist": ".tolist()",
    "data": ".data()",
    "__float__": "float()",
    "__int__": "int()",
}
"""The methods by which a tensor gives its numbers away, and how the user spells them."""


class ReadOuts:
    """Hooks at these methods, and at the function that puts buffers in the place of what was computed."""

    def __init__(self, session: Session, ops: Ops) -> None:
        self._session = session
        self._ops = ops

    def rows(self) -> list[Row]:
        """The methods, and `realize`."""
        here, recorded = self._session.here, When(lambda: self._session.is_recorded)
        return [
            *(here.instead(Tensor, name, partial(self._read, how)) for name, how in SPELLINGS.items() if _has(name)),
            here.before(Tensor, "realize", self._realizing),
            recorded.after(tensors, "_apply_map_to_tensors", self._replaced),
        ]

    def _read(self, how: str, read: Any, tensor: Any, *args: Any, **options: Any) -> Any:
        self._note(tensor, how)
        with self._session.unseen():
            return read(tensor, *args, **options)

    def _realizing(self, tensor: Any, *others: Any, **options: Any) -> None:
        for each in (tensor, *others):
            if self._session.ledger.id_of(each.uop) not in (None, *self._session.ledger.leaves):
                self._note(each, ".realize()")

    def _note(self, tensor: Any, how: str) -> None:
        with self._session.noting():
            known = self._session.ledger.resolve(tensor)
            raw = self._ops.id_of(tensor) if known is None else known
            self._session.note(ReadOut, None, raw, None, how)

    def _replaced(self, replacements: Any, *args: Any, **options: Any) -> None:
        """Nodes of tensors have been replaced by buffers, which hold their numbers, or are about to."""
        ledger = self._session.ledger
        for before, after in replacements.items():
            raw = ledger.id_of(before)
            if raw is None or ledger.id_of(after) is not None:
                continue
            if raw in ledger.leaves:
                ledger.note(after, raw)
            else:
                ledger.realized[after] = raw


def _has(name: str) -> bool:
    return hasattr(Tensor, name)
