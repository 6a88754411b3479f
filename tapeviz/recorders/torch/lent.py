"""Tensors that share their memory with another library -> its writes, found at the next op or backward pass.

Neither a function mode nor the version of a tensor sees what NumPy writes into an array that shares its memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from tapeviz.events.types import SHARED_MEMORY, StateWritten
from tapeviz.recorders.torch.elements import as_array
from tapeviz.recorders.torch.held_values import HeldValues
from tapeviz.recorders.torch.tape_session import TapeSession
from tapeviz.recorders.torch.tensors import Tensors

LENT = 1 << 20
"""Bytes up to which a tensor that shares its memory is copied, and looked at again."""


class _Loan(NamedTuple):
    """A tensor, what it held when it was looked at last, and the place since which it shares its memory."""

    tensor: ref[Any]
    held: Any
    place: tuple[Any, ...]


class Lent:
    """The tensors up to `LENT` that share their memory since the last backward pass, as `loans` by raw id."""

    def __init__(self, session: TapeSession, tensors: Tensors, values: HeldValues) -> None:
        self._session = session
        self._tensors = tensors
        self._values = values
        self.loans: dict[int, _Loan] = {}

    def lend_of(self, tensor: Any, args: tuple[Any, ...]) -> None:
        """The same of a leaf that was made of arrays, if it has not copied them."""
        arrays = (each for each in args if isinstance(each, np.ndarray))
        if any(tensor.data_ptr() == each.__array_interface__["data"][0] for each in arrays):
            self.lend(tensor)

    def lend(self, tensor: Any) -> None:
        """A tensor and another library share its memory: its old elements stay known."""
        owner = self._tensors.original(tensor)
        owner = tensor if owner is None else owner
        owner = owner if owner._base is None else owner._base
        raw_id = self._tensors.get(owner)
        if raw_id is not None and owner.device.type == "cpu" and owner.nbytes <= LENT:
            self.look_at([raw_id])
            self._lend(owner, raw_id, self._session.place(2))

    def look_at(self, raw_ids: Iterable[Any]) -> None:
        """Record which of these tensors, that an op is to read, hold something else by now."""
        for raw_id in self.loans.keys() & raw_ids:
            _, held, place = loan = self.loans[raw_id]
            tensor = loan.tensor()
            now = None if tensor is None else as_array(tensor.detach())
            if tensor is None or now is None or np.array_equal(held, now, equal_nan=held.dtype.kind in "fc"):
                continue
            value = self._values.hold(tensor, raw_id)
            self._session.log.append(StateWritten, None, raw_id, value, SHARED_MEMORY, *place)
            self._values.add(raw_id, value)
            self._lend(tensor, raw_id, place)

    def ahead_of_backward(self) -> None:
        """The same for all of them, which are not looked at after that."""
        self.look_at(list(self.loans))
        self.loans.clear()

    def _lend(self, owner: Any, raw_id: int, place: tuple[Any, ...]) -> None:
        held = as_array(owner.detach())
        if held is not None:
            self._values.keep(raw_id)
            self.loans[raw_id] = _Loan(ref(owner, partial(self._gone, raw_id)), held.copy(), place)

    def _gone(self, raw_id: int, _: Any) -> None:
        self.loans.pop(raw_id, None)
