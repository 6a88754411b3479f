"""The ops of a forward pass, targets and sources -> the reverse pass: a record of each VJP and of each sum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any

import jax

from tapeviz.events.log import EventLog
from tapeviz.events.raw import next_id
from tapeviz.events.types import Pruned
from tapeviz.recorders.jax.operands import LoggedOp, Operand
from tapeviz.recorders.jax.places import Place
from tapeviz.recorders.jax.reach import computed_by
from tapeviz.recorders.jax.values import kept, zeros_of
from tapeviz.recorders.runs import LoggedRun, one_or_all


class Sweep:
    """One reverse pass, with the sum of the gradients that have arrived at each tensor so far.

    At some tensors there are only zeros that are not computed from any cotangent: JAX would not continue from there.
    For a Jacobian, whose rows JAX computes together, no values are kept.
    """

    def __init__(self, log: EventLog, tape: int, *, keeps_values: bool) -> None:
        self._log = log
        self._keeps_values = keeps_values
        self._run = LoggedRun(log, tape)
        self._tape = tape
        self._arrived: dict[int, Any] = {}
        self._only_zeros: set[int] = set()
        self.arrived: tuple[int | None, ...] = ()
        """The raw ids of the gradients, once it has run."""

    def run(
        self,
        ops: list[LoggedOp],
        targets: Sequence[Operand],
        cotangents: Sequence[Any] | None,
        sources: Sequence[Operand],
        place: Place,
        rows: int | None,
    ) -> list[Any]:
        """The gradients of the targets for cotangents, or of their sum, one per source: None where nothing arrives.

        Raises:
            ValueError: a `while` is on the way.
        """
        log = self._log
        seeds = [jax.numpy.ones(each.shape, each.dtype) for each in targets] if cotangents is None else cotangents
        ends, ids = (tuple(each.entry for each in operands) for operands in (targets, sources))
        self._run.begin(ends, ids, tuple(map(self._kept, seeds)), (place.code, place.lasti, place.scope), rows)
        for target, seed in zip(targets, seeds, strict=True):
            self._arrive(target.entry, seed)
        while ops:
            self._pull(ops.pop())
        gradients = [self._arrived.get(each.entry) for each in sources]
        raw_ids = tuple(None if each is None else next_id() for each in gradients)
        self.arrived = raw_ids
        self._run.end(raw_ids, tuple(map(self._kept, gradients)))
        log.append(Pruned, (self._tape,))
        return gradients

    def _pull(self, op: LoggedOp) -> None:
        """Apply the VJP of one op, if anything reached it."""
        upstream = [self._arrived.pop(each.entry, None) for each in op.outputs]
        if all(each is None for each in upstream):
            return
        reached = [
            g is not None and each.entry not in self._only_zeros for g, each in zip(upstream, op.outputs, strict=True)
        ]
        pulled, computed = _pulled(op, upstream, reached)
        given = [next(pulled) if each.perturbed else None for each in op.inputs]
        contributions = [g if passes else None for g, passes in zip(given, op.passes, strict=True)]
        ids = tuple(each.entry for each in op.outputs)
        self._run.pull(one_or_all(ids), tuple(map(self._kept, contributions)))
        if op.witness is not None and self._keeps_values:
            op.witness(self._log, op, upstream, contributions)
        for each, contribution in zip(op.inputs, contributions, strict=True):
            if each.perturbed:
                self._arrive(each.entry, contribution, only_zeros=not next(computed))

    def _arrive(self, tensor: int, contribution: Any, *, only_zeros: bool = False) -> None:
        """Add a contribution to what has arrived at a tensor."""
        if contribution is None:
            return
        before = self._arrived.get(tensor)
        if not only_zeros:
            self._only_zeros.discard(tensor)
        elif before is None:
            self._only_zeros.add(tensor)
        if before is None:
            self._arrived[tensor] = contribution
            return
        self._arrived[tensor] = total = before + contribution
        self._run.sum_up(tensor, self._kept(total))

    def _kept(self, gradient: Any) -> Any:
        """What the log stores of a gradient: None where there is none, True where nothing is stored of it."""
        return None if gradient is None else kept(self._log, gradient) if self._keeps_values else True


def _pulled(op: LoggedOp, upstream: Sequence[Any], reached: Sequence[bool]) -> tuple[Iterator[Any], Iterator[bool]]:
    """What a VJP gives for each perturbed operand, and which of that is computed from what `reached` the op.

    An op that nothing but zeros reached is not asked for its VJP, which may be an error.
    """
    if not any(reached):
        zeros = [zeros_of(each.value) for each in op.inputs if each.perturbed]
        return iter(zeros), repeat(False)
    cotangents = tuple(g if is_so else None for g, is_so in zip(upstream, reached, strict=True))
    computed = iter(computed_by(op.vjp, cotangents)) if op.may_give_zeros else repeat(True)
    return iter(op.vjp(cotangents)), computed
