"""One run of autograd's engine -> a VJP per op, each with what it sends to the op's inputs.

Hooks are on the graph's nodes only while the engine runs. An op may own several nodes: its VJP is logged when the last
of them has run, and its contributions are what leaves its nodes for the nodes of other ops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import torch
from torch.autograd.function import BackwardCFunction

from tapeviz.recorders.runs import LoggedRun
from tapeviz.recorders.torch.backward.fingerprint import Fingerprint
from tapeviz.recorders.torch.backward.gradients import Gradients
from tapeviz.recorders.torch.backward.nodes import CompiledOp, DeferredOp, InsideOp
from tapeviz.recorders.torch.backward.only_node import Hook, Noted, Sent, is_plain, plain_hook
from tapeviz.recorders.torch.backward.reach import NOTHING, PendingVjp, Reach
from tapeviz.recorders.torch.backward.sequence_numbers import LoggedOp
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import without_modes
from tapeviz.recorders.torch.values import HeldTorchTensor, alias, node_of
from tapeviz.recorders.torch.witnesses import Witness


class Sweep:
    """One run of the engine; if it is `recorded`, its results can be differentiated; if it is `retained`, again.

    Attributes:
        to_learn: the fingerprint of the graph, if a plan is to be made of it after this run.
        beyond: the results of ops whose VJPs `pull_beyond` logs, though there are nodes that lead to these results.
    """

    def __init__(self, session: Session, reach: Reach, *, recorded: bool, retained: bool) -> None:
        self.run = LoggedRun(session.log, session.tape)
        self._reach = reach
        self._session = session
        self._recorded = recorded
        self._retained = retained
        self._arrived: dict[int, int] = {}
        self._values: dict[int, Any] = {}
        self._handles: list[Any] = []
        self._latest: list[PendingVjp] = [NOTHING]
        self._hooked: set[int] = set()
        self.kept = Gradients(session.log).kept
        self._witnesses: list[Witness] = []
        self.to_learn: Fingerprint | None = None
        self.beyond: frozenset[tuple[int, ...]] = frozenset()
        self._ways: Counter[tuple[int, ...]] = Counter()
        self._totals: dict[int, Any] = {}

    @property
    def runs_functions(self) -> bool:
        """Whether some of the nodes are of functions in Python."""
        return self._session.nodes.hands_on or any(isinstance(node, BackwardCFunction) for node in self._reach.nodes)

    def leaves(self) -> list[Any]:
        """The tensors that the run leaves a gradient in, in the order they were made known."""
        return self._reach.leaves()

    def hook(self) -> None:
        """Put hooks on the nodes."""
        session = self._session
        hooked = session.tensors.hooked()
        self._hooked = {session.ledger.id_of(each) for each in hooked}
        asked = [*hooked, *session.ledger.retained()]
        wanted = dict.fromkeys((node_of(each), each.output_nr) for each in asked)
        self._handles += [node.register_hook(hook) for node, hook in self.hooks(wanted)]
        self._handles += [node.register_prehook(hook) for node, hook in self._prehooks()]

    def hooks(self, wanted: dict[tuple[Any, int], None]) -> Iterator[tuple[Any, Hook]]:
        """The nodes that send something out of their op, each with its hook; of the leaves, those at which several
        gradients arrive, or that the program has hooks on. What arrives along edges that are `wanted` is told, too."""
        reach, log = self._reach, self._session.log
        sums = reach.sums(wanted)
        waiting = self._session.witnesses.waiting or None  # asked once: it is a dictionary written in Python
        about = self.run.id, self._latest, self._arrived, self._values
        kept, otherwise = self.kept if log.keeps_values else None, without_modes(self._ran_only_node)
        noted = Noted(log.raw.extend, *about, kept, otherwise)
        for node, vjp in reach.nodes.items():
            if vjp is None:
                if self._has_total(node) and not self._is_copied_from(node):
                    yield node, without_modes(partial(self._at_leaf, self._session.ledger.id_of(node.variable)))
            elif isinstance(vjp.op, CompiledOp):
                ran = partial(self._ran_compiled, node._sequence_nr(), vjp)
                yield node, without_modes(partial(ran, reach.targets(node, vjp), sums.get(node, ())))
            elif vjp.has_one_node:
                targets = reach.targets(node, vjp)
                if waiting and node._sequence_nr() in waiting:
                    self._ask(node, vjp.op, targets)
                yield node, self._hook_of_one(vjp, targets, sums.get(node, ()), noted)
            elif node in sums or reach.is_way_out(node):
                yield node, without_modes(partial(self._ran, vjp, reach.targets(node, vjp), sums.get(node, ())))
            else:
                vjp.nodes_left -= reach.is_needed(node)

    def _has_total(self, leaf: Any) -> bool:
        """Whether what a leaf is left with is no single contribution."""
        return self._reach.meets(leaf) or bool(leaf.variable._backward_hooks)

    def _is_copied_from(self, leaf: Any) -> bool:
        """Whether the gradient of a leaf is changed once it is there, so that it has to be noted ahead of that."""
        return self._session.log.keeps_values and self._session.is_rewritten(leaf.variable)

    def _prehooks(self) -> Iterator[tuple[Any, Callable[[Sent], None]]]:
        """The leaves whose gradients are changed once they are there, each with what is done before."""
        for node, vjp in self._reach.nodes.items():
            if vjp is None and self._is_copied_from(node):
                tensor = self._session.ledger.id_of(node.variable)
                yield node, without_modes(partial(self._ahead_of_leaf, tensor, self._has_total(node)))

    def _hook_of_one(self, vjp: PendingVjp, targets: list[int | None], sums: Any, noted: Noted) -> Hook:
        """The hook of the only node of an op."""
        slots = slots_of(vjp.op, targets)
        if self._recorded or sums or not is_plain(slots):
            return partial(noted.otherwise, vjp, slots, sums)
        vjp.nodes_left = 0  # its node alone: nothing waits for others
        return plain_hook(noted, vjp, slots)

    def _ask(self, node: Any, op: LoggedOp, targets: list[int | None]) -> None:
        """Let a witness see what the user's rule is given, and gives."""
        witness = self._session.witnesses.waiting[node._sequence_nr()]
        noted = partial(witness.note_rule, op, slots_of(op, targets))
        self._handles.append(node.register_prehook(without_modes(witness.note_upstream)))
        self._handles.append(node.register_hook(without_modes(noted)))
        self._witnesses.append(witness)

    def failed(self, error: Exception) -> None:
        """The engine has run up to an error: what has happened by then, the hooks have noted."""

    def unhook(self) -> None:
        """Remove the hooks."""
        for handle in self._handles:
            hooks = handle.hooks_dict_ref()  # what `remove` does, in less time
            if hooks is not None:
                hooks.pop(handle.id, None)
        self._reach.forget()

    # ----- while the engine runs -----

    def _ran_only_node(
        self, vjp: PendingVjp, slots: list[int | None], sums: Any, sent: tuple[Any, ...], got: tuple[Any, ...]
    ) -> None:
        """The only node of an op has run: log the op's VJP."""
        vjp.nodes_left = 0
        self._latest[0] = vjp
        for index, tensor, _ in sums:
            if got[index] is not None:
                self.sum_up(tensor, got[index])
        parts: list[Any] = [None] * len(vjp.op.inputs)
        for slot, gradient in zip(slots, sent, strict=False):
            if slot is not None and gradient is not None:
                _put(parts, slot, gradient)
        self._pull(vjp.op, parts)

    def _ran(
        self, vjp: PendingVjp, targets: list[int | None], sums: Any, sent: tuple[Any, ...], got: tuple[Any, ...]
    ) -> None:
        """One of several nodes of an op has run: collect what it has sent, and log the VJP after the last one."""
        vjp.nodes_left -= 1
        self._latest[0] = vjp
        for target, gradient in zip(targets, sent, strict=False):
            if target is not None and gradient is not None:
                vjp.contributions.append((target, self._for_later(gradient)))
        for index, tensor, is_sum in sums:
            if got[index] is not None:
                vjp.totals.append((tensor, self._for_later(got[index]) if is_sum else None))
        if vjp.nodes_left == 0:
            self._apply(vjp)

    def _ran_compiled(
        self,
        number: int,
        vjp: PendingVjp,
        targets: list[int | None],
        sums: Any,
        sent: tuple[Any, ...],
        got: tuple[Any, ...],
    ) -> None:
        """A node of a compiled graph has run, of the number."""
        vjp.upstream[number] = got
        self._ran(vjp, targets, sums, sent, got)

    def _for_later(self, gradient: Any) -> Any:
        """An alias of a gradient, for later: PyTorch copies the gradient of a leaf if something else refers to it."""
        if self._recorded:
            return gradient
        return alias(gradient) if self._session.log.keeps_values else True

    def _at_leaf(self, tensor: int, _: Any, got: tuple[Any, ...]) -> None:
        """All gradients of a leaf have arrived; the VJP of the op that sent the last one may be incomplete."""
        if self._latest[0].nodes_left:
            self._latest[0].leaf_totals.append((tensor, got[0]))
        else:
            self.sum_up(tensor, got[0])

    def _ahead_of_leaf(self, tensor: int, has_total: bool, got: Sent) -> None:
        """The same before the leaf has it, where it is changed then: what is there now is copied."""
        latest = self._latest[0]
        if latest.nodes_left:
            latest.contributions = [
                (to, each.clone() if to == tensor and each is not True else each) for to, each in latest.contributions
            ]
        if has_total:
            self._at_leaf(tensor, (), tuple([each.clone() for each in got]) if latest.nodes_left else got)
        value = self._values.get(tensor)
        if isinstance(value, HeldTorchTensor):
            value.copy()

    def _apply(self, vjp: PendingVjp) -> None:
        """All nodes of an op have run."""
        op = vjp.op
        if op.outputs in self.beyond:
            self._totals.update(vjp.totals)
        else:
            for tensor, total in vjp.totals:
                self.sum_up(tensor, total)
        if isinstance(op, InsideOp):
            self._run_inside(op, vjp)
        else:
            sent: list[Any] = [None] * len(op.inputs)
            for target, gradient in vjp.contributions:
                slot = _slot(op, target, sent)
                if slot is not None:
                    _put(sent, slot, gradient)
            if op.outputs in self.beyond:
                self._ways[op.outputs] += 1
            else:
                self._pull(op, sent)
            if isinstance(op, DeferredOp):
                self._defer_inside(op, vjp)
        vjp.contributions = []
        for tensor, total in vjp.leaf_totals:
            self.sum_up(tensor, total)

    def _defer_inside(self, op: DeferredOp, vjp: PendingVjp) -> None:
        """The nodes of a compiled graph have run: what arrived there is kept for those of its inside."""
        upstream, vjp.upstream = vjp.upstream, {}
        arrived = ((number, at, each) for number, got in upstream.items() for at, each in enumerate(got))
        kept = {(number, at): self.kept(each) for number, at, each in arrived if each is not None}
        if kept:
            op.pulled(self.run.id, kept, self._retained)

    def _run_inside(self, op: InsideOp, vjp: PendingVjp) -> None:
        """The nodes of a compiled graph have run: those of its inside run on what arrived there."""
        upstream, vjp.upstream = vjp.upstream, {}
        ends = [(each, upstream[number][index]) for each, number, index in op.ends if number in upstream]
        ends = [(each, seed) for each, seed in ends if seed is not None]
        if ends:
            outputs, seeds = zip(*ends, strict=True)
            inner = Sweep(self._session, Reach(self._session, outputs, op.leaves), recorded=False, retained=True)
            inner.run, inner.kept, inner._arrived, inner._values = self.run, self.kept, self._arrived, self._values
            with suppress(RuntimeError):  # what it saved was changed since, by what the program was free to change
                inner.run_inside(outputs, seeds, tuple(op.leaves), self._retained)
        for target, gradient in vjp.contributions:
            if target not in self._values:  # nothing leads there: a compiled graph sends zeros all the same
                self._values[target] = self.kept(gradient)

    def run_inside(self, outputs: Any, seeds: Any, leaves: Any, retained: bool) -> None:
        """Run the engine, within a run of it."""
        self.hook()
        try:
            # `autograd.grad` would be the program's, and imports much at its first call.
            run = torch.autograd.Variable._execution_engine.run_backward
            run(outputs, seeds, retained, False, leaves, allow_unreachable=True, accumulate_grad=False)
        finally:
            self.unhook()
        self.finish()

    def _pull(self, op: LoggedOp, sent: list[Any]) -> None:
        """The VJP of an op, with what it sends to each of the op's inputs."""
        arrived = self._arrived
        values: list[Any] = []
        for tensor, gradient in zip(op.inputs, sent, strict=True):
            if gradient is None:
                values.append(None)
            else:
                arrived[tensor] = arrived.get(tensor, 0) + 1
                value = self._values[tensor] = self.kept(gradient)
                values.append(value)
        raw_ids = tuple(map(self._id, sent)) if self._recorded else None
        self.run.pull(op.outputs, tuple(values), raw_ids)

    def _id(self, gradient: Any) -> int | None:
        """The raw id of a gradient that can be differentiated again."""
        return None if gradient is None or gradient.grad_fn is None else self._session.ledger.id_of(gradient)

    def sum_up(self, tensor: int, total: Any) -> None:
        """All contributions to a tensor have arrived: log their sums, of which at most the last one is known, or none
        if the `total` is True."""
        several = self._arrived.pop(tensor, 1) - 1
        raw_id = None
        for left in range(several, 0, -1):
            value: Any = True
            if left == 1 and total is not True:
                value = self._values[tensor] = self.kept(total)
                raw_id = self._id(total) if self._recorded else None
            self.run.sum_up(tensor, value, raw_id)
        if several == 0 and tensor in self._hooked:
            value = self._values[tensor] = self.kept(total)
            self.run.sum_up(tensor, value, parts=1)
        self._arrived[tensor] = 1

    # ----- after it -----

    def finish(self) -> None:
        """Log the VJPs of ops of which some nodes were not needed and have not run."""
        for vjp in self._reach.vjps.values():
            if vjp.nodes_left and (vjp.contributions or vjp.leaf_totals):
                self._apply(vjp)
        for witness in self._witnesses:
            self._session.witnesses.testify(witness)

    def pull_beyond(self, outputs: tuple[int, ...], inputs: tuple[int, ...], values: tuple[Any, ...]) -> None:
        """Log the VJP of an op that is no part of autograd's graph, with what it has sent to each of its inputs.

        Where several nodes have led to a result, their sum is in none of them.
        """
        known = self._totals if self._ways[outputs] == 1 else {}
        for each in outputs:
            if self._arrived.get(each, 1) > 1:
                self.sum_up(each, known.get(each, True))
        self._values.update((tensor, value) for tensor, value in zip(inputs, values, strict=True) if value is not None)
        self.run.pull(outputs, values)

    def arrived(self, tensor: int) -> Any:
        """What the log stores of the gradient that has arrived at a tensor; None if there is none."""
        return self._values.get(tensor)


def _put(sent: list[Any], slot: int, gradient: Any) -> None:
    """Add a gradient to those that were sent to an argument."""
    before = sent[slot]
    sent[slot] = gradient if before is None or gradient is True else before.detach() + gradient.detach()


def slots_of(op: LoggedOp, targets: list[int | None]) -> list[int | None]:
    """For each edge of the only node of an op, the index of the argument that gets its gradient, or None."""
    taken: list[Any] = [None] * len(op.inputs)
    found: list[int | None] = []
    for target in targets:
        slot = None if target is None else _slot(op, target, taken)
        if slot is not None:
            taken[slot] = target
        found.append(slot)
    return found


def _slot(op: LoggedOp, target: int, sent: list[Any]) -> int | None:
    """The index of the argument that gets a gradient: the first that is the target and has none yet, or the first."""
    first: int | None = None
    for slot, each in enumerate(op.inputs):
        if type(each) is int and each == target:
            if sent[slot] is None:
                return slot
            first = slot if first is None else first
    return first
