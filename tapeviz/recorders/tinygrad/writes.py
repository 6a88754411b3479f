"""Writes into tensors, and optimizers -> records: what was written, which parameters were given, and each step."""

from __future__ import annotations

from typing import Any

from tinygrad import Tensor
from tinygrad.nn.optim import Optimizer

from tapeviz.events.raw import next_id
from tapeviz.events.types import GradientRead, OptimizerCreated, OptimizerStepped, StateWritten
from tapeviz.recorders.hooks import When
from tapeviz.recorders.patches import Row
from tapeviz.recorders.tinygrad.ops import Ops
from tapeviz.recorders.tinygrad.session import Session
from tapeviz.recorders.tinygrad.values import kept


class Writes:
    """Hooks at `assign`, and at optimizers, the ops of whose steps are not logged."""

    def __init__(self, session: Session, ops: Ops) -> None:
        self._session = session
        self._ops = ops
        self._optimizers: dict[int, tuple[int, list[int]]] = {}

    def rows(self) -> list[Row]:
        """The method of tensors, and those of the base of all optimizers."""
        here = self._session.here
        loud = When(lambda: self._session.is_here and not self._session.is_quiet)
        return [
            loud.instead(Tensor, "assign", self._assign),
            here.instead(Optimizer, "__init__", self._make),
            here.instead(Optimizer, "step", self._step),
        ]

    def _assign(self, assign: Any, tensor: Any, value: Any) -> Any:
        raw = entry = None
        with self._session.noting():
            raw = self._ops.id_of(tensor)
            entry = self._ops.id_of(value) if isinstance(value, Tensor) else None
        with self._session.unseen():
            result = assign(tensor, value)
        if raw is not None:
            with self._session.noting():
                self._written(tensor, raw, entry, "assign")
        return result

    def _written(self, tensor: Any, raw: int, entry: int | None, how: str) -> None:
        session, ledger = self._session, self._session.ledger
        for node in ledger.written(tensor.uop):
            session.numbers.forget(node)
        ledger.note(tensor.uop, raw)
        value = kept(session.log, session.numbers, tensor.uop)
        session.note(StateWritten, entry, raw, value, how)

    def _make(self, make: Any, optimizer: Any, *args: Any, **options: Any) -> None:
        with self._session.failing(), self._session.unseen():
            make(optimizer, *args, **options)
        with self._session.noting():
            self._note_made(optimizer)

    def _note_made(self, optimizer: Any) -> None:
        self._session.open()
        given = [self._ops.id_of(each, is_trained=True) for each in optimizer.params]
        self._optimizers[id(optimizer)] = next_id(), given
        number, _ = self._optimizers[id(optimizer)]
        self._session.note(OptimizerCreated, tuple(given), None, None, (number, type(optimizer).__name__))

    def _step(self, step: Any, optimizer: Any, *args: Any, **options: Any) -> Any:
        session, changed = self._session, []
        with session.noting():
            if id(optimizer) not in self._optimizers:
                self._note_made(optimizer)
            for each in optimizer.params:
                if each.grad is None:
                    session.note(GradientRead, None, self._ops.id_of(each))
                else:
                    changed.append(each)
        with session.failing(), session.unseen():
            result = step(optimizer, *args, **options)
        with session.noting():
            number, _ = self._optimizers[id(optimizer)]
            ids = [self._ops.id_of(each) for each in changed]
            session.note(OptimizerStepped, tuple(ids), None, None, number)
            for raw, each in zip(ids, changed, strict=True):
                self._written(each, raw, None, "step")
        return result
