"""The ops of a forward pass, targets and sources -> the reverse pass: a record of each VJP and of each sum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any

import jax

from tapeviz.events.log import EventLog
from tapeviz.events.raw import next_id
from tapeviz.events.types import (
    BackwardFinished,
    BackwardStarted,
    CotangentAccumulated,
    Pruned,
    VjpApplied,
)
from tapeviz.recorders.jax.operands import Operand, VjpNode
from tapeviz.recorders.jax.places import Place
from tapeviz.recorders.jax.reach import computed_by
from tapeviz.recorders.jax.values import kept, zeros_of


class Reverse:
    """One reverse pass: what has arrived at each tensor so far.

    At some tensors there are only zeros, which are computed from no cotangent: JAX would not go on from there.
    """

    def __init__(self, log: EventLog, tape: int) -> None:
        self._log = log
        self._tape = tape
        self._run = next_id()
        self._arrived: dict[int, Any] = {}
        self._only_zeros: set[int] = set()

    def run(
        self, nodes: list[VjpNode], targets: Sequence[Operand], sources: Sequence[Operand], place: Place
    ) -> list[Any]:
        """The gradients of the sum of the targets, one per source: None where nothing arrives.

        Raises:
            ValueError: a `while` is on the way.
        """
        log = self._log
        seeds = [jax.numpy.ones(each.shape, each.dtype) for each in targets]
        ends = tuple(each.entry for each in targets), tuple(each.entry for each in sources)
        values = tuple(kept(log, seed) for seed in seeds)
        about = (None,) * len(seeds)
        log.append(BackwardStarted, (self._run, self._tape, None), ends, values, about, place.code, place.lasti)
        for target, seed in zip(targets, seeds, strict=True):
            self._arrive(target.entry, seed)
        while nodes:
            self._pull(nodes.pop())
        gradients = [self._arrived.get(each.entry) for each in sources]
        ids = tuple(None if each is None else next_id() for each in gradients)
        log.append(BackwardFinished, self._run, ids, tuple(None if g is None else kept(log, g) for g in gradients))
        log.append(Pruned, (self._tape,))
        return gradients

    def _pull(self, node: VjpNode) -> None:
        """Apply the VJP of one op, if anything reached it."""
        upstream = [self._arrived.pop(each.entry, None) for each in node.outputs]
        if all(each is None for each in upstream):
            return
        reached = [
            g is not None and each.entry not in self._only_zeros for g, each in zip(upstream, node.outputs, strict=True)
        ]
        pulled, computed = _pulled(node, upstream, reached)
        given = [next(pulled) if each.perturbed else None for each in node.inputs]
        contributions = [g if passes else None for g, passes in zip(given, node.passes, strict=True)]
        ids = tuple(each.entry for each in node.outputs)
        values = tuple(None if each is None else kept(self._log, each) for each in contributions)
        self._log.append(VjpApplied, self._run, ids[0] if len(ids) == 1 else ids, values)
        for each, contribution in zip(node.inputs, contributions, strict=True):
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
        self._log.append(CotangentAccumulated, self._run, tensor, kept(self._log, total))


def _pulled(node: VjpNode, upstream: Sequence[Any], reached: Sequence[bool]) -> tuple[Iterator[Any], Iterator[bool]]:
    """What a VJP gives for each perturbed operand, and which of that is computed from what `reached` the op.

    An op that nothing but zeros reached is not asked for its VJP, which may be an error.
    """
    if not any(reached):
        zeros = [zeros_of(each.value) for each in node.inputs if each.perturbed]
        return iter(zeros), repeat(False)
    cotangents = tuple(
        zeros_of(output.value) if g is None else g for output, g in zip(node.outputs, upstream, strict=True)
    )
    computed = repeat(True) if not node.may_give_zeros else iter(computed_by(node.vjp, cotangents, reached))
    return iter(node.vjp(cotangents)), computed
