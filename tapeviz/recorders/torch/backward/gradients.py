"""The gradients of one run of autograd's engine -> what the log stores of each: one value for one that is passed on."""

from __future__ import annotations

from typing import Any

from tapeviz.events.log import EventLog
from tapeviz.recorders.torch.values import HeldTorchTensor, held, storage_of


class Gradients:
    """The values that the log has of one run's gradients, by their storage, which they keep alive."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._held: dict[int, list[HeldTorchTensor]] = {}

    def kept(self, gradient: Any) -> Any:
        """What the log stores of a gradient: one value for a gradient that is passed on or stored in a leaf."""
        if gradient is None or not self._log.keeps_values:
            return True
        storage = storage_of(gradient)
        known = self._held.get(storage) if storage is not None else None
        if known is not None:
            for each in known:
                # One that was copied since has a storage of its own.
                if each.is_whole and storage_of(each.tensor) == storage and _are_one_view(each.tensor, gradient):
                    return each
        value = held(gradient)
        if type(value) is HeldTorchTensor and value.cost > self._log.max_bytes:
            value.summarise()  # its numbers are not to be lost with its elements
        if storage is not None and type(value) is HeldTorchTensor:
            self._held.setdefault(storage, []).append(value)
        return self._log.keep(value)


def _are_one_view(one: Any, other: Any) -> bool:
    """Whether two tensors with one storage have the same elements of it, laid out and read in the same way."""
    return bool(
        one.shape == other.shape
        and one.storage_offset() == other.storage_offset()
        and one.stride() == other.stride()
        and one.is_conj() == other.is_conj()
        and one.is_neg() == other.is_neg()
    )
