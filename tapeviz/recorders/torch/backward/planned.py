"""A run on a graph that equals an earlier one -> its records, by the plan of that one.

Without values the records are written when the engine has run, and no node needs a hook. With them, hooks take the
gradients and nothing else has to be found out. Such a plan is used once a run with a sweep's own hooks on an equal
graph has written just what it says.
"""

from __future__ import annotations

from enum import Enum
from functools import partial
from typing import Any

import torch

from tapeviz.events.raw import INPUTS, KIND, OUTPUTS, STRIDE, VALUES
from tapeviz.events.types import BackwardFinished, CotangentAccumulated, VjpApplied
from tapeviz.recorders.runs import LoggedRun
from tapeviz.recorders.torch.backward.fingerprint import Fingerprint, fingerprint
from tapeviz.recorders.torch.backward.foreseen import PassPlan, PassStep, PlannedHook, SeenGradient, failure, foresee
from tapeviz.recorders.torch.backward.gradients import Gradients
from tapeviz.recorders.torch.backward.nodes import LEAF
from tapeviz.recorders.torch.levels import running
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import count
from tapeviz.recorders.torch.values import alias, unwatched

MOST = 16
"""How many kinds of graphs are remembered: a program has few, or new ones at every step."""

_modes = torch._C._len_torch_dispatch_stack


class PlannedSweep:
    """One run of the engine that goes by a plan; it has what a `Sweep` has."""

    runs_functions = False

    def __init__(self, session: Session, plan: PassPlan, found: Fingerprint, outputs: Any) -> None:
        self.run = LoggedRun(session.log, session.tape)
        self.kept = Gradients(session.log).kept
        self._session = session
        self._plan = plan
        self._found = found
        self._outputs = outputs
        self._raw = session.log.raw
        self._ids = found.ids
        self._values: list[Any] = [None] * plan.values if session.log.keeps_values else []
        self._parts: dict[SeenGradient, Any] = {}
        self._next = 0
        self._early: dict[int, tuple[Any, Any]] = {}
        self._arrived: dict[int, Any] = {}
        self._handles: list[Any] = []

    def leaves(self) -> list[Any]:
        """The tensors that the run leaves a gradient in, in the order they were made known."""
        leaves = [node.variable for node in self._found.nodes if type(node) is LEAF]
        return sorted(leaves, key=self._session.ledger.id_of)

    def hook(self) -> None:
        """Put hooks on the nodes, if values are kept."""
        if self._session.log.keeps_values:
            nodes = self._found.nodes
            self._handles = [
                nodes[hook.place].register_hook(partial(self._ran, at)) for at, hook in enumerate(self._plan.hooks)
            ]

    def unhook(self) -> None:
        """Remove the hooks, and release the graph."""
        for handle in self._handles:
            hooks = handle.hooks_dict_ref()  # what `remove` does, in less time
            if hooks is not None:
                hooks.pop(handle.id, None)
        self._handles, self._outputs, self._found = [], (), self._found._replace(nodes=[])

    def failed(self, error: Exception) -> None:
        """The engine has run up to an error: note what has happened by then, where hooks have not."""
        if self._session.log.keeps_values:
            return
        failed = failure(error, self._found.nodes)
        plan = foresee(self._session, self._outputs, self._found, failed) if failed is not None else None
        if plan is not None:
            self._write(plan.steps)

    def finish(self) -> None:
        """The engine has run."""
        if self._session.log.keeps_values:
            self._catch_up()
            left = {place: self._values[value] for place, value in self._plan.arrived.items()}
        else:
            self._write(self._plan.steps)
            left = dict.fromkeys(self._plan.arrived, True)
        self._arrived = {self._ids[place]: value for place, value in left.items()}

    def arrived(self, tensor: int) -> Any:
        """What the log stores of the gradient that has arrived at a leaf; None if there is none."""
        return self._arrived.get(tensor)

    def _ran(self, at: int, sent: Any, got: Any) -> None:
        """A node has run: take the gradients that its hook is given, and write what is complete by now.

        One that runs ahead of the plan, on another device, has to wait for its turn.
        """
        if at != self._next:
            self._early[at] = tuple(map(_alias, sent)), tuple(map(_alias, got))
            return
        hook, values, kept = self._plan.hooks[at], self._values, self.kept
        for place, index, is_sent in hook.takes:
            gradient = sent[index] if is_sent else got[index]
            if gradient is not None:
                values[place] = kept(gradient)
        if hook.parts:
            self._add_up(hook, sent, got)
        self._write(hook.steps)
        self._next = at + 1
        if self._early:
            self._catch_up()

    def _catch_up(self) -> None:
        """Go on with those that have waited for their turn."""
        while self._next in self._early:
            self._ran(self._next, *self._early.pop(self._next))

    def _add_up(self, hook: PlannedHook, sent: Any, got: Any) -> None:
        """Take parts of sums, and the sums that are complete by now."""
        for source in hook.parts:
            self._parts[source] = _alias(sent[source.at] if source.is_sent else got[source.at])
        for place, sources in hook.sums:
            parts = [each for source in sources if (each := self._parts.pop(source)) is not None]
            if parts:
                with unwatched():
                    self._values[place] = self.kept(sum(parts[1:], parts[0]))

    def _write(self, steps: list[PassStep]) -> None:
        """Append records, with the values that are known by now."""
        raw, run, ids, values = self._raw, self.run.id, self._ids, self._values
        for kind, tensors, places, marks in steps:
            result = ids[tensors] if type(tensors) is int else tuple([ids[each] for each in tensors])
            if not values or places is True:
                found = marks
            elif type(places) is int:
                found = values[places]
            else:
                found = tuple([None if each is None else values[each] for each in places])
            raw += (kind, run, result, found, None, (), (), None, None, -1)


class _NoPlan(Enum):
    """Why there is no plan for a graph."""

    YET = "it was met once"
    EVER = "a run on it goes another way than foreseen"


class PassPlans:
    """What a recording has foreseen of graphs, by their fingerprints: those that were met last."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: dict[tuple[Any, ...], PassPlan | _NoPlan] = {}

    def sweep(self, outputs: Any, since: int) -> PlannedSweep | Fingerprint | None:
        """The run of the whole graph behind some outputs, if there is a plan for it.

        Of the nodes, those that are numbered from `since` on have not run before. If a plan is to be learned from the
        run, the fingerprint is returned, for `learn`.
        """
        session = self._session
        if session.packs or session.witnesses.waiting or _is_watched() or session.ledger.retained():
            return None
        found = None if session.tensors.hooked() else fingerprint(session, outputs, since)
        if found is None:
            return None
        before = self._known.pop(found.key, None)  # so that the latest is last
        plan = before
        if plan is None:
            plan = _NoPlan.YET if session.log.keeps_values else foresee(session, outputs, found) or _NoPlan.EVER
        self._known[found.key] = plan
        if len(self._known) > MOST:
            del self._known[next(iter(self._known))]
        if isinstance(plan, PassPlan):
            return PlannedSweep(session, plan, found, outputs)
        return found if before is _NoPlan.YET else None

    def learn(self, outputs: Any, found: Fingerprint, run: int, begin: int) -> None:
        """A sweep's own hooks have written what comes from index `begin` on: that is to be what is foreseen."""
        log = self._session.log
        plan, since = foresee(self._session, outputs, found), begin - log.packed.length
        is_so = plan is not None and since >= 0 and _written(log.raw[since:], run) == _foretold(plan, found.ids)
        self._known[found.key] = plan if plan is not None and is_so else _NoPlan.EVER


def _is_watched() -> bool:
    """Whether modes of the program's, or transforms, see what a hook does."""
    return bool(count() or _modes()) or running() is not None


def _alias(gradient: Any) -> Any:
    return None if gradient is None else alias(gradient)


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


def _foretold(plan: PassPlan, ids: list[int]) -> list[tuple[Any, Any, Any]]:
    """The same of a plan."""
    named = (each.tensors for each in plan.steps)
    results = [ids[each] if type(each) is int else tuple([ids[one] for one in each]) for each in named]
    return [(each.kind, result, each.marks) for each, result in zip(plan.steps, results, strict=True)]
