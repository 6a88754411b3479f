"""A run on a graph that equals an earlier one -> its records, by the plan of that one.

The records are written when the engine has run. Without values no node needs a hook. With them, hooks take the
gradients, most of them without a line of Python, and nothing else has to be found out. Such a plan is used once a run
with a sweep's own hooks on an equal graph has written just what it says.
"""

from __future__ import annotations

from collections import OrderedDict
from enum import Enum
from functools import partial
from itertools import chain, compress
from threading import local
from typing import Any

import torch

from tapeviz.events.raw import INPUTS, KIND, OUTPUTS, STRIDE, VALUES
from tapeviz.events.summary import Packed
from tapeviz.events.types import BackwardFinished, CotangentAccumulated, VjpApplied
from tapeviz.events.values import OBJECT, HeldTensor, bytes_of, read_spec
from tapeviz.recorders.runs import LoggedRun
from tapeviz.recorders.torch.backward.fingerprint import Fingerprint, fingerprint
from tapeviz.recorders.torch.backward.foreseen import PassPlan, failure, foresee
from tapeviz.recorders.torch.backward.gradients import Gradients
from tapeviz.recorders.torch.backward.nodes import LEAF
from tapeviz.recorders.torch.backward.pass_records import PassRecords
from tapeviz.recorders.torch.grad_attribute import grad_of
from tapeviz.recorders.torch.levels import running
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import count
from tapeviz.recorders.torch.values import alias, unwatched

MOST = 16
"""How many kinds of graphs are remembered: a program has few, or new ones at every step."""

_OURS = -1
"""The key of a hook on a leaf; those of PyTorch's own handles count from 0."""

_modes = torch._C._len_torch_dispatch_stack


class PlannedSweep:
    """One run of the engine that goes by a plan; it has what a `Sweep` has."""

    runs_functions = False

    def __init__(self, session: Session, plan: PassPlan, found: Fingerprint, outputs: Any) -> None:
        self.run = LoggedRun(session.log, session.tape)
        self._gradients = Gradients(session.log)
        self.kept = self._gradients.kept
        self._session = session
        self._plan = plan
        self._found = found
        self._outputs = outputs
        self._ids = found.ids
        self._taken: list[Any] = [None] * len(plan.sights)
        self._left: list[tuple[int, Any]] = []
        self._arrived: dict[int, Any] = {}
        self._hooks: list[dict[int, Any]] = []
        self._hooked: list[Any] = []

    def leaves(self) -> list[Any]:
        """The tensors that the run leaves a gradient in, in the order they were made known."""
        leaves = [node.variable for node in self._found.nodes if type(node) is LEAF]
        return sorted(leaves, key=self._session.ledger.id_of)

    def hook(self) -> None:
        """Have the gradients taken, if values are kept.

        What a leaf gets is found there in the end, where it has no gradient yet: PyTorch copies a gradient on its way
        there that something else holds. So what a reduction over processes will change in place is held.
        """
        if not self._session.log.keeps_values:
            return
        nodes, sights, put, hooks = self._found.nodes, self._plan.sights, self._taken.__setitem__, self._hooks
        stand_in: Any = torch.ones(1, requires_grad=True)  # a node takes the hooks of a tensor, at no call of Python's
        for number, place in sights.arriving:
            stand_in._backward_hooks = own = {0: partial(put, number)}
            nodes[place]._register_hook_dict(stand_in)
            hooks.append(own)
        for place, wanted in sights.passing.items():
            self._register(nodes[place], partial(self._take, wanted))
        for number, place in sights.coming:  # no hook of the program's is on such a leaf, by its fingerprint
            leaf = nodes[place].variable
            leaf._backward_hooks = OrderedDict({_OURS: partial(put, number)})  # a third of what one of the node takes
            self._hooked.append(leaf)
        for number, place in sights.left:
            leaf = nodes[place].variable
            if grad_of(leaf) is None:
                self._left.append((number, leaf))
            else:
                self._register(nodes[place], partial(self._take, [(number, 0, False)]))

    def unhook(self) -> None:
        """Remove the hooks, and release the graph."""
        for hooks in self._hooks:
            hooks.clear()
        for leaf in self._hooked:
            own = leaf._backward_hooks
            own.pop(_OURS, None)
            if not own:  # the program may have added some in the meantime
                leaf._backward_hooks = None
        self._hooks, self._hooked, self._outputs, self._found = [], [], (), self._found._replace(nodes=[])

    def failed(self, error: Exception) -> None:
        """The engine has run up to an error: note what has happened by then."""
        if self._session.log.keeps_values:
            known = [each is not None for each in self._look_at_leaves()]
            ran = max(compress(self._plan.ran, known), default=0)
            self._write(PassRecords(self._plan.steps[:ran], len(self._plan.values)), self._values(otherwise=True))
            return
        failed = failure(error, self._found.nodes)
        plan = foresee(self._session, self._outputs, self._found, failed) if failed is not None else None
        if plan is not None:
            self._write(plan.records, [])

    def finish(self) -> None:
        """The engine has run."""
        values = self._values() if self._session.log.keeps_values else []
        self._write(self._plan.records, values)
        left = self._plan.arrived.items()
        self._arrived = {self._ids[place]: values[value] if values else True for place, value in left}

    def arrived(self, tensor: int) -> Any:
        """What the log stores of the gradient that has arrived at a leaf; None if there is none."""
        return self._arrived.get(tensor)

    def _register(self, node: Any, hook: Any) -> None:
        self._hooks.append(node.register_hook(hook).hooks_dict_ref())

    def _take(self, wanted: list[tuple[int, int, bool]], sent: Any, got: Any) -> None:
        """A node has run: take gradients from those that it has sent, and was given."""
        for number, index, is_sent in wanted:
            self._taken[number] = sent[index] if is_sent else got[index]

    def _look_at_leaves(self) -> list[Any]:
        """The gradients that are known by now, those that leaves have among them."""
        for number, leaf in self._left:
            gradient = grad_of(leaf)
            self._taken[number] = None if gradient is None else alias(gradient)
        return self._taken

    def _values(self, otherwise: Any = None) -> list[Any]:
        """What the log stores of the values of the plan; `otherwise` where a gradient is not known."""
        taken = self._look_at_leaves()
        sums = [taken[parts[0]] if len(parts) == 1 else _sum_of(taken, parts) for parts in self._plan.values]
        values = self._gradients.all_kept(sums, otherwise)
        self._plan.bytes = self._gradients.bytes
        return values

    def _write(self, records: PassRecords, values: list[Any]) -> None:
        """Append records, with these values, if there are any."""
        self._session.log.raw += records.of(self.run.id, self._ids, values)


class _NoPlan(Enum):
    """Why there is no plan for a graph."""

    YET = "it was met once"
    EVER = "a run on it goes another way than foreseen"


class Remembered(local):
    """What a thread's recordings have foreseen of graphs, by whether they keep values, and the fingerprint: of those
    that were met last. A training that is recorded step by step has the same graph in each recording."""

    def __init__(self) -> None:
        self.plans: OrderedDict[tuple[bool, tuple[Any, ...]], PassPlan | _NoPlan] = OrderedDict()


remembered = Remembered()


class PassPlans:
    """What a recording goes by when it meets a graph of which a plan is known, or learns one."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known = remembered.plans

    def sweep(self, outputs: Any, since: int, retained: bool) -> PlannedSweep | Fingerprint | None:
        """The run of the whole graph behind some outputs, if there is a plan for it.

        Of the nodes, those that are numbered from `since` on have not run before. If a plan is to be learned from the
        run, the fingerprint is returned, for `learn`. If the graph is `retained`, there is no plan that needs hooks,
        which would stay on it.
        """
        session = self._session
        if retained and session.log.keeps_values:
            return None
        if session.packs or session.witnesses.waiting or _is_watched() or session.ledger.retained():
            return None
        found = None if session.tensors.hooked() else fingerprint(session, outputs, since)
        if found is None:
            return None
        key = session.log.keeps_values, found.key
        before = plan = self._known.get(key)
        if plan is None:
            plan = _NoPlan.YET if session.log.keeps_values else foresee(session, outputs, found) or _NoPlan.EVER
        self._known[key] = plan
        self._known.move_to_end(key)
        if len(self._known) > MOST:
            self._known.popitem(last=False)
        if isinstance(plan, PassPlan):
            is_small = not session.log.keeps_values or session.log.make_room(plan.bytes)
            return PlannedSweep(session, plan, found, outputs) if is_small else None
        return found if before is _NoPlan.YET else None

    def learn(self, outputs: Any, found: Fingerprint, run: int, begin: int) -> None:
        """A sweep's own hooks have written what comes from index `begin` on: that is to be what is foreseen."""
        log = self._session.log
        plan, since = foresee(self._session, outputs, found), begin - log.packed.length
        written = log.raw[since:] if since >= 0 else []
        if plan is not None and _written(written, run) == _foretold(plan, found.ids):
            plan.bytes = _bytes_in(written)
            self._known[log.keeps_values, found.key] = plan
        else:
            self._known[log.keeps_values, found.key] = _NoPlan.EVER


def _sum_of(taken: list[Any], parts: tuple[int, ...]) -> Any:
    """The sum of these gradients, None if there are none."""
    known = [each for part in parts if (each := taken[part]) is not None]
    with unwatched():
        return sum(known[1:], known[0]) if known else None


def _is_watched() -> bool:
    """Whether modes of the program's, or transforms, see what a hook does."""
    return bool(count() or _modes()) or running() is not None


def _written(records: list[Any], run: int) -> list[tuple[Any, Any, Any]]:
    """What a run has written, with True for each value."""
    found = []
    for at in range(0, len(records), STRIDE):
        kind, values = records[at + KIND], records[at + VALUES]
        if kind is BackwardFinished:
            break
        is_known = kind in (VjpApplied, CotangentAccumulated) and records[at + INPUTS] == run
        marks = tuple([None if each is None else True for each in values]) if type(values) is tuple else True
        found.append((kind if is_known else None, records[at + OUTPUTS], marks))
    return found


def _bytes_in(records: list[Any]) -> int:
    """What the gradients of a run take that has just written these records."""
    values = {
        id(each): each for entry in records[VALUES::STRIDE] for each in (entry if type(entry) is tuple else (entry,))
    }
    known = (read_spec(each) for each in values.values() if isinstance(each, (HeldTensor, Packed)))
    return sum(bytes_of(*each) + OBJECT for each in known)


def _foretold(plan: PassPlan, ids: list[int]) -> list[tuple[Any, Any, Any]]:
    """The same of a plan."""
    steps = [*chain.from_iterable(plan.steps)]
    named = (each.tensors for each in steps)
    results = [ids[each] if type(each) is int else tuple([ids[one] for one in each]) for each in named]
    return [(each.kind, result, each.marks) for each, result in zip(steps, results, strict=True)]
