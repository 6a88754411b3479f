"""The gradients of one run of autograd's engine -> what the log stores of each: one value for one that is passed on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torch import Tensor, strided

from tapeviz.events.log import EventLog
from tapeviz.events.values import OBJECT
from tapeviz.recorders.torch.elements import storage_of
from tapeviz.recorders.torch.storages import is_received
from tapeviz.recorders.torch.values import COPIED, HeldTorchTensor, held, held_itself


class Gradients:
    """The values that the log has of one run's gradients, by their addresses, which they keep from being used again.

    Attributes:
        bytes: what those took together that were kept when the run was over.
    """

    def __init__(self, log: EventLog) -> None:
        self.bytes = 0
        self._log = log
        self._held: dict[int, list[HeldTorchTensor]] = {}

    def all_kept(self, gradients: Iterable[Any], otherwise: Any) -> list[Any]:
        """What the log stores of each of several that only a run has had, when it is over; `otherwise` of None.

        Nearly all are held as they are, without an alias, since the program cannot come upon them.
        """
        log, known = self._log, self._held
        found: list[Any] = []
        for each in gradients:
            if each is None:
                found.append(otherwise)
                continue
            is_plain = each.layout is strided  # one that is sparse or nested has no `nbytes`, and seldom is large
            size = each.nbytes + OBJECT if is_plain else OBJECT
            self.bytes += size
            address = each.data_ptr() if is_plain and type(each) is Tensor else 0
            if not address or address in known or (total := log.bytes + size) > log.max_bytes:
                found.append(self.kept(each))
                continue
            log.bytes = total
            value = held_itself(each)
            known[address] = [value]
            found.append(value)
        return found

    def kept(self, gradient: Any) -> Any:
        """What the log stores of a gradient: one value for a gradient that is passed on or stored in a leaf."""
        log = self._log
        if gradient is None or not log.keeps_values:
            return True
        address = _address_of(gradient)
        known = None if address is None else self._held.get(address)
        for each in known or ():
            # One that was copied since has an address of its own.
            if each.is_whole and _address_of(each.tensor) == address and _are_one_view(each.tensor, gradient):
                return each
        value = held(gradient)
        if type(value) is HeldTorchTensor:
            if is_received(gradient):  # as a seed, which the next one may be written over
                value.copy() if value.nbytes <= COPIED else value.summarise()
            elif value.nbytes + OBJECT > log.max_bytes:
                value.summarise()  # its numbers are not to be lost with its elements
            if known is not None:
                known.append(value)
            elif address is not None:
                self._held[address] = [value]
        return log.keep(value)


def _address_of(tensor: Any) -> int | None:
    """Where the elements of a tensor are; None if it has none of its own."""
    if type(tensor) is Tensor:  # one of another class, as a fake one, may have no memory
        try:
            return tensor.data_ptr() or storage_of(tensor)
        except RuntimeError:
            pass
    return storage_of(tensor)


def _are_one_view(one: Any, other: Any) -> bool:
    """Whether two tensors with one storage have the same elements of it, laid out and read in the same way."""
    return bool(
        one.shape == other.shape
        and one.storage_offset() == other.storage_offset()
        and one.stride() == other.stride()
        and one.is_conj() == other.is_conj()
        and one.is_neg() == other.is_neg()
    )
