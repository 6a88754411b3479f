"""One gradient call of tinygrad's -> what the log has of it: beginning, steps, sums and results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from tinygrad.uop import Ops

from tapeviz.events.raw import next_id
from tapeviz.recorders.runs import LoggedRun
from tapeviz.recorders.tinygrad.names import operands_of
from tapeviz.recorders.tinygrad.session import Session
from tapeviz.recorders.tinygrad.values import kept


class Sweep:
    """One call: which nodes are on the way to its sources, and the sum of what has arrived at each so far."""

    def __init__(self, session: Session, on_the_way: Mapping[Any, bool], sources: Mapping[Any, int]) -> None:
        self._session = session
        self._run = LoggedRun(session.log, session.tape)
        self._on_the_way = on_the_way
        self._sources = sources
        self._arrived: dict[int, Any] = {}
        self.gradients: dict[int, int] = {}

    @property
    def run(self) -> int:
        """Its number in the log."""
        return self._run.id

    def begin(self, target: Any, seed: Any) -> None:
        """The call is made, with this gradient of its target."""
        raw = self._session.ledger.id_of(target)
        assert raw is not None
        array = self._session.numbers.of(seed)
        array = None if array is None else np.broadcast_to(array, target.shape)
        self._arrived[raw] = array
        self._run.begin((raw,), tuple(self._sources.values()), (self._kept(target, array),), self._session.place(3))

    def pull(self, node: Any, results: Sequence[Any] | None) -> None:
        """A node was pulled back, and gave a node for each of its sources, or None."""
        ledger = self._session.ledger
        if node.op is Ops.FUNCTION:
            parts = [node.gettuple(index) for index in range(len(node.src[0].src))]
            node = next((each for each in parts if ledger.id_of(each) is not None), node)
        raw = ledger.id_of(node)
        if raw is None or results is None:
            return
        arrays: list[tuple[int, Any, Any] | None] = []
        for at, operand in operands_of(node):
            found = results[at] if at < len(results) else None
            known = ledger.id_of(operand)
            passes = found is not None and known is not None and self._leads(operand)
            arrays.append((known, operand, self._summed(operand, found)) if passes and known is not None else None)
        values = tuple([None if each is None else self._kept(each[1], each[2]) for each in arrays])
        self._run.pull(raw, values)
        for each in arrays:
            if each is not None:
                self._arrive(*each)

    def end(self, grads: Mapping[Any, Any]) -> None:
        """The call has given these nodes; the program gets zeros where nothing arrived."""
        ids: list[int | None] = []
        values: list[Any] = []
        for uop, raw in self._sources.items():
            gradient = grads.get(uop)
            number = next_id() if gradient is not None and raw in self._arrived else None
            ids.append(number)
            values.append(None if number is None else self._kept(uop, self._session.numbers.of(gradient)))
            if number is not None:
                self.gradients[raw] = number
        self._run.end(tuple(ids), tuple(values))

    def _leads(self, operand: Any) -> bool:
        return operand in self._sources or bool(self._on_the_way.get(operand, False))

    def _arrive(self, raw: int, operand: Any, array: Any) -> None:
        if raw not in self._arrived:
            self._arrived[raw] = array
            return
        before = self._arrived[raw]
        total = None if before is None or array is None else before + array
        self._arrived[raw] = total
        self._run.sum_up(raw, self._kept(operand, total))

    def _summed(self, operand: Any, gradient: Any) -> Any:
        """The numbers of a contribution, summed over the axes along which its operand was stretched."""
        array = self._session.numbers.of(gradient)
        if array is None or array.shape == tuple(operand.shape):
            return array
        shape = tuple(operand.shape)
        array = array.sum(axis=tuple(range(array.ndim - len(shape)))) if array.ndim > len(shape) else array
        axes = tuple(axis for axis, (one, own) in enumerate(zip(array.shape, shape, strict=True)) if one != own)
        summed = array.sum(axis=axes, keepdims=True) if axes else array
        return np.broadcast_to(summed, shape)

    def _kept(self, uop: Any, array: Any) -> Any:
        return True if array is None else kept(self._session.log, self._session.numbers, uop, array)
