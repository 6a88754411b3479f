"""Reads of `.grad`, and what empties it -> records."""

from __future__ import annotations

import sys
from typing import Any

from tinygrad import Tensor

from tapeviz.events.program.frames import is_library
from tapeviz.events.types import GradientCleared, GradientRead
from tapeviz.recorders.patches import Row, Wrapped
from tapeviz.recorders.tinygrad.ops import Ops
from tapeviz.recorders.tinygrad.session import Session


class GradSlot:
    """The slot of a tensor's gradient, which tells of what the program itself does with it."""

    def __init__(self, slot: Any, gradients: GradAttribute) -> None:
        self._slot = slot
        self._gradients = gradients

    def __get__(self, tensor: Any, owner: Any = None) -> Any:
        if tensor is None:
            return self
        found = self._slot.__get__(tensor)
        if not is_library(sys._getframe(1).f_code.co_filename):
            self._gradients.read(tensor, found)
        return found

    def __set__(self, tensor: Any, value: Any) -> None:
        if value is None and self._gradients.is_full(tensor, self._slot):
            self._gradients.cleared(tensor)
        self._slot.__set__(tensor, value)


class GradAttribute:
    """Records what the program finds in `.grad` of its tensors, and when that is emptied."""

    def __init__(self, session: Session, ops: Ops) -> None:
        self._session = session
        self._ops = ops

    def rows(self) -> list[Row]:
        """The slot."""
        return [Wrapped(Tensor, "grad", lambda slot: GradSlot(slot, self))]

    def read(self, tensor: Any, found: Any) -> None:
        """The program, or an optimizer, has looked at the gradient of a tensor."""
        session = self._session
        if not session.is_here:
            return
        with session.noting():
            raw = self._ops.id_of(tensor)
            number = None if found is None else session.ledger.stored.get(raw)
            if found is None or number is not None:
                session.note(GradientRead, number, raw)

    def is_full(self, tensor: Any, slot: Any) -> bool:
        """Whether there is a gradient to be emptied, of a tensor of the log."""
        try:
            if slot.__get__(tensor) is None:
                return False
        except AttributeError:  # a tensor that is just being made
            return False
        return self._session.is_here and self._session.ledger.resolve(tensor) in self._session.ledger.stored

    def cleared(self, tensor: Any) -> None:
        """The gradient of a tensor is about to be emptied."""
        with self._session.noting():
            raw = self._ops.id_of(tensor)
            self._session.ledger.stored.pop(raw, None)
            self._session.note(GradientCleared, None, raw, None, ".grad = None")
