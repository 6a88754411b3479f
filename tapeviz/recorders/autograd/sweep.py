"""One backward pass of autograd -> what the log has of it: beginning, steps, sums and results."""

from __future__ import annotations

from collections import deque
from typing import Any

from autograd.tracer import isbox

from tapeviz.events.raw import next_id
from tapeviz.recorders.autograd.nodes import LoggedNode, logged
from tapeviz.recorders.autograd.session import Session
from tapeviz.recorders.autograd.trees import dense, paired
from tapeviz.recorders.autograd.values import kept_gradient
from tapeviz.recorders.runs import LoggedRun, one_or_all


class Sweep:
    """One pass: what has arrived at each tensor so far, and at which nodes what is added next is to arrive.

    A list of arrays is one value to autograd, and so are its sums. Here they are those of each array.
    """

    def __init__(self, session: Session, root: LoggedNode, target: LoggedNode) -> None:
        self._session = session
        self._run = LoggedRun(session.log, target.tape)
        self._root = root
        self._target = target
        self._arrived: dict[int, tuple[Any, LoggedNode | None]] = {}
        self._next: deque[LoggedNode | None] = deque()

    def begin(self, g: Any) -> None:
        """The pass is requested, with this gradient of its target."""
        seeds = [(each, found) for each, found in paired(self._target.tree, g)]
        self._arrived = {each: (dense(found), None) for each, found in seeds}
        values = tuple([self._kept(found) for _, found in seeds])
        place = self._session.place(1)
        self._run.begin(tuple(self._target.ids), tuple(self._root.ids), values, place)

    def pull(self, node: LoggedNode, contributions: tuple[Any, ...]) -> None:
        """A node has been pulled back, with these contributions to its parents."""
        if not node.width:  # it only takes out of a container, or puts into one
            self._next.extend([None] * len(contributions))
            return
        values: list[Any] = [None] * node.width
        ids: list[int | None] = [None] * node.width
        for argnum, parent, contribution in zip(node.argnums, node.parents, contributions, strict=True):
            first = node.slots.get(argnum)
            if first is None:
                continue
            for at, (_, found) in enumerate(paired(parent.tree, contribution)):
                values[first + at], ids[first + at] = self._kept(found), _recorded(found)
        self._run.pull(one_or_all(tuple(node.ids)), tuple(values), tuple(ids))
        self._next.extend([parent if argnum in node.slots else None for argnum, parent in _pairs(node)])

    def arrive(self, g: Any, total: Any) -> None:
        """A contribution has been added to what had arrived at the next node; None for a total: nothing had."""
        parent = self._next.popleft() if self._next else None
        if parent is None:
            return
        totals = dict(paired(parent.tree, total))
        for each, found in paired(parent.tree, g):
            if found is None:
                continue
            if each not in self._arrived:
                self._arrived[each] = dense(found), parent
                continue
            before, came_by = self._arrived[each]
            summed = totals[each] if came_by is parent and totals[each] is not None else before + dense(found)
            self._arrived[each] = _copied(summed), came_by if came_by is parent else None
            self._run.sum_up(each, self._kept(summed), _recorded(summed))

    def end(self, result: Any) -> None:
        """The pass has ended with this gradient of what is differentiated; autograd has zeros where nothing arrived."""
        ids: list[int | None] = []
        values: list[Any] = []
        for each, found in paired(self._root.tree, result):
            arrived = each in self._arrived
            raw = (_recorded(found) or next_id()) if arrived else None
            ids.append(raw)
            values.append(self._kept(found) if arrived else None)
            if raw is not None:
                self._session.ledger.note(found, raw)
        self._run.end(tuple(ids), tuple(values))

    def _kept(self, gradient: Any) -> Any:
        return kept_gradient(self._session.log, gradient)


def _pairs(node: LoggedNode) -> list[tuple[int, LoggedNode]]:
    return list(zip(node.argnums, node.parents, strict=True))


def _recorded(gradient: Any) -> int | None:
    """The id of a gradient that another trace follows, and that so is the result of a recorded op; else None."""
    node = logged(gradient) if isbox(gradient) else None
    return node.tree if node is not None and isinstance(node.tree, int) else None


def _copied(total: Any) -> Any:
    """A sum, into which autograd itself may add another contribution."""
    plain = dense(total)
    return plain.copy() if hasattr(plain, "copy") else plain
