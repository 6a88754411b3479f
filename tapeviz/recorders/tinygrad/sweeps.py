"""Each gradient that a program of tinygrad takes -> a `Sweep`, and what it leaves in `.grad`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tinygrad import Tensor
from tinygrad.mixin import gradient as rules

from tapeviz.events.raw import next_id
from tapeviz.events.types import GradientStored
from tapeviz.recorders.patches import Row, Wrapped
from tapeviz.recorders.tinygrad.leaves import Leaves
from tapeviz.recorders.tinygrad.ops import Ops
from tapeviz.recorders.tinygrad.session import Session
from tapeviz.recorders.tinygrad.sweep import Sweep
from tapeviz.recorders.tinygrad.values import kept


class Rules:
    """tinygrad's rules for the way back, in their place; each that is applied is told."""

    def __init__(self, own: Any, sweeps: Sweeps) -> None:
        self._own = own
        self._sweeps = sweeps

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    def rewrite(self, uop: Any, ctx: Any = None, **options: Any) -> Any:
        """What a rule gives for a node and its upstream gradient."""
        results = self._own.rewrite(uop, ctx, **options)
        self._sweeps.pulled(uop, results)
        return results


class Sweeps:
    """Hooks at the two methods that take gradients, at the function behind both, and at its rules."""

    def __init__(self, session: Session, ops: Ops, leaves: Leaves) -> None:
        self._session = session
        self._ops = ops
        self._leaves_of = leaves
        self._running: Sweep | None = None
        self._asked: list[Any] | None = None
        self._is_backward = False
        self._latest: Sweep | None = None

    def rows(self) -> list[Row]:
        """tinygrad's own functions."""
        here = self._session.here
        return [
            here.instead(Tensor, "backward", self._backward),
            here.instead(Tensor, "gradient", self._gradient),
            here.instead(rules, "compute_gradient", self._compute),
            here.instead(rules, "call_gradient", self._call),
            Wrapped(rules, "pm_gradient", lambda own: Rules(own, self)),
        ]

    def _backward(self, backward: Any, target: Any, gradient: Any = None) -> Any:
        before = {}
        with self._session.noting():
            self._ops.id_of(target)
            before = {raw: each for raw, each in self._leaves().items() if each.grad is not None}
        self._is_backward, self._latest = True, None
        try:
            with self._session.quiet(), self._session.failing():
                result = backward(target, gradient)
        finally:
            self._is_backward = False
        with self._session.noting():
            self._note_stored(before)
        return result

    def _gradient(self, take: Any, target: Any, *targets: Any, gradient: Any = None) -> Any:
        if not self._is_backward:
            with self._session.noting():
                self._ops.id_of(target)
                self._asked = [self._ops.id_of(each) for each in targets]
        with self._session.quiet(), self._session.failing():
            result = take(target, *targets, gradient=gradient)
        if not self._is_backward and self._latest is not None:
            for raw, each in zip(self._asked or [], result, strict=False):
                found = self._latest.gradients.get(raw)
                if found is not None:
                    self._session.ledger.note_tensor(each, found)
        return result

    def _compute(self, compute: Any, root: Any, seed: Any, targets: Any) -> Any:
        if self._running is not None:
            return compute(root, seed, targets)
        sweep: Sweep | None = None
        with self._session.noting():
            self._ops.id_of_node(root)
            sweep = self._begun(root, seed, targets)
        self._running = sweep
        try:
            grads = compute(root, seed, targets)
        finally:
            self._running = None
        if sweep is not None:
            with self._session.noting():
                sweep.end(grads)
                self._latest = sweep
        return grads

    def _begun(self, root: Any, seed: Any, targets: Any) -> Sweep:
        ledger = self._session.ledger
        _, way = rules._deepwalk(root, targets)
        found = {each: ledger.id_of(each) for each in targets}
        if self._is_backward:
            leaves = self._leaves()
            found = {each: raw for each, raw in found.items() if raw in leaves}
        known: Mapping[Any, int] = {each: raw for each, raw in found.items() if raw is not None}
        ordered = dict(sorted(known.items(), key=lambda pair: pair[1]))
        self._leaves_of.settle(self._session.enter(1))
        sweep = Sweep(self._session, way, ordered)
        sweep.begin(root, seed)
        return sweep

    def _call(self, call: Any, upstream: Any, node: Any, needed: Any) -> Any:
        results = call(upstream, node, needed)
        self.pulled(node, results)
        return results

    def pulled(self, node: Any, results: Any) -> None:
        """A node was pulled back."""
        if self._running is not None and self._session.is_here:
            with self._session.noting():
                self._running.pull(node, results)

    def _leaves(self) -> dict[int, Any]:
        """The tensors of the log that no op made, as far as they are still there and may be trained."""
        alive = {raw: reference() for raw, reference in self._session.ledger.leaves.items()}
        return {raw: each for raw, each in alive.items() if each is not None and each.is_param}

    def _note_stored(self, before: Mapping[int, Any]) -> None:
        sweep, session = self._latest, self._session
        if sweep is None:
            return
        for raw, tensor in self._leaves().items():
            number = sweep.gradients.get(raw)
            if number is None or tensor.grad is None:
                continue
            value = kept(session.log, session.numbers, tensor.grad.uop)
            number = next_id() if raw in before else number
            session.log.append(GradientStored, (sweep.run, number, False), raw, value, raw in before)
            session.ledger.stored[raw] = number
            session.ledger.note_tensor(tensor.grad, number)
            if session.ledger.id_of(tensor.grad.uop) is None:
                session.ledger.note(tensor.grad.uop, number)
