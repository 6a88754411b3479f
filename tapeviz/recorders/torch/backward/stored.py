"""A run of `backward` -> the gradients it left in tensors, each apart from what arrived where the two are not equal.

Between the arrival of a gradient and the end of the run, a hook of the program's or a reduction over processes may
change it, in place as well: what arrived is then copied before it is stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch

from tapeviz.events.raw import next_id
from tapeviz.recorders.naming import take_name
from tapeviz.recorders.torch.backward.planned import PlannedSweep
from tapeviz.recorders.torch.backward.sweep import Sweep
from tapeviz.recorders.torch.elements import bytes_of
from tapeviz.recorders.torch.grad_attribute import GradAttribute, grad_of
from tapeviz.recorders.torch.groups import Replica
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.values import HeldTorchTensor, spec_of, unwatched


class GradientHolder(NamedTuple):
    """A tensor that a run is about to leave a gradient in, its raw id, and the gradient that was there before."""

    tensor: Any
    raw_id: int
    before: Any


class _LeftGradient(NamedTuple):
    """A gradient of a run's: where it was left, the raw id and value of what arrived, and what the tensor has now."""

    leaf: GradientHolder
    arrived_id: int
    arrived: Any
    gradient: Any
    value: Any
    raw_id: int


class StoredGradients:
    """Writes what `backward` has left in tensors."""

    def __init__(self, session: Session, gradients: GradAttribute) -> None:
        self._session = session
        self._gradients = gradients

    def note(self, sweep: Sweep | PlannedSweep, leaves: Sequence[GradientHolder]) -> None:
        """End a run of `backward`; a hook may have cleared again what it has stored."""
        arrived = [sweep.arrived(each.raw_id) for each in leaves]
        stored = [None if came is None else grad_of(leaf.tensor) for leaf, came in zip(leaves, arrived, strict=True)]
        values = [
            came if each is None else self._kept(sweep, leaf, each)
            for leaf, each, came in zip(leaves, stored, arrived, strict=True)
        ]
        raw_ids = tuple([None if each is None else next_id() for each in values])
        sweep.run.end(raw_ids, tuple(values))
        left = [
            _LeftGradient(leaf, arrived_id, came, each, value, self._session.tensors.add(each))
            for leaf, arrived_id, came, each, value in zip(leaves, raw_ids, arrived, stored, values, strict=True)
            if each is not None and arrived_id is not None
        ]
        reduced = self._reduced(left)
        for each in left:
            self._gradients.stored(
                sweep.run.id,
                each.leaf.tensor,
                each.gradient,
                each.raw_id,
                each.value,
                accumulated=each.leaf.before is not None,
                apart=each.raw_id in reduced or self._is_apart(each),
            )

    def _kept(self, sweep: Sweep | PlannedSweep, leaf: GradientHolder, gradient: Any) -> Any:
        """What the log stores of a gradient: of one in a buffer that the next pass writes over, a copy."""
        value = sweep.kept(gradient)
        replica = self._session.tensors.facts(leaf.tensor).replica
        if replica is not None and replica.in_buckets and isinstance(value, HeldTorchTensor):
            value.copy()
        return value

    def _is_apart(self, stored: _LeftGradient) -> bool:
        """Whether a stored gradient is another one than what arrived; one that nothing could change is not."""
        tensor = stored.leaf.tensor
        if stored.value is stored.arrived or not self._session.is_rewritten(tensor):
            return False
        return _is_other(stored)

    def _reduced(self, left: list[_LeftGradient]) -> set[int]:
        """The op by which the processes have made their gradients equal, for each model that did so in this run.

        The raw ids of its results, of which nobody has to look whether they are what arrived.
        """
        found: set[int] = set()
        session, log = self._session, self._session.log
        code, lasti, scope = session.place()
        for replica, own in self._by_replica(left):
            name = replica.hook or "dist.all_reduce"
            size = ("bytes", sum(bytes_of(each.gradient) for each in own))
            attributes = (*replica.group, *(() if replica.hook else (("operation", "mean"),)), size)
            before = [session.tensors.get(each.leaf.before) for each in own if each.leaf.before is not None]
            inputs = (*(each.arrived_id for each in own), *(each for each in before if each is not None))
            outputs = tuple([each.raw_id for each in own])
            values = tuple([spec_of(each.gradient) if each.value is True else each.value for each in own])
            log.raw += (name, inputs, outputs, values, attributes, (), (), scope, code, lasti)
            for raw_id in outputs:
                take_name(log, raw_id)  # the line gives its name to none of these
            found.update(outputs)
        return found

    def _by_replica(self, left: list[_LeftGradient]) -> Iterator[tuple[Replica, list[_LeftGradient]]]:
        """The wrapped models that have reduced gradients, each with these.

        Where a model waits for more than there are, only the numbers tell which of them it has reduced.
        """
        replicas = {each.leaf.raw_id: self._session.tensors.facts(each.leaf.tensor).replica for each in left}
        for replica in {id(each): each for each in replicas.values()}.values():
            if replica is not None and replica.synchronises:
                own = [each for each in left if replicas[each.leaf.raw_id] is replica]
                reduced = own if len(own) >= replica.needed else [each for each in own if _is_other(each)]
                if reduced:
                    yield replica, reduced


def _is_other(stored: _LeftGradient) -> bool:
    """Whether the numbers of a stored gradient are others than those that arrived, as far as both are known.

    A NaN is what it was where its bits are.
    """
    one, other = _near(stored.arrived), _near(stored.value)
    if one is None or other is None or one.dtype != other.dtype or one.shape != other.shape:
        return True
    with unwatched():
        bits = _BITS.get(one.element_size())
        same = torch.equal(one, other) or (bits is not None and torch.equal(one.view(bits), other.view(bits)))
    return not same


_BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
"""The bytes of an element -> a dtype of as many, of which all are numbers."""


def _near(value: Any) -> Any:
    """The tensor of a value, if its elements are in main memory; None where they are not, or not known any more."""
    is_known = isinstance(value, HeldTorchTensor) and value.is_whole and value.is_near
    return value.tensor if is_known and value.tensor.layout is torch.strided else None
