"""Every backward pass of autograd that runs now -> its `Sweep`, which is told of nodes and sums."""

from __future__ import annotations

from typing import Any

from autograd import core

from tapeviz.recorders.autograd.nodes import LoggedNode
from tapeviz.recorders.autograd.session import Session
from tapeviz.recorders.autograd.sweep import Sweep
from tapeviz.recorders.patches import Row


class Sweeps:
    """Hooks at the function that goes back through the nodes, and at the one that adds a contribution to another."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._running: list[Sweep] = []

    def rows(self) -> list[Row]:
        """autograd's own functions, by which all others take gradients."""
        here = self._session.here
        return [
            here.instead(core, "backward_pass", self._run),
            here.instead(core, "add_outgrads", self._add),
        ]

    def _run(self, run: Any, g: Any, end: Any) -> Any:
        target = end.vjp if isinstance(end.vjp, LoggedNode) else None
        root = target
        while root is not None and root.parents:
            root = root.parents[0]
        if target is None or root is None:
            return run(g, end)
        sweep = Sweep(self._session, root, target)
        sweep.begin(g)
        self._running.append(sweep)
        try:
            with self._session.failing():
                result = run(g, end)
        finally:
            self._running.pop()
        sweep.end(result)
        return result

    def pulled(self, node: LoggedNode, g: Any) -> Any:
        """A node is pulled back; its contributions, all of which are there before one is added."""
        if not self._running or not self._session.is_here:
            return node.vjp(g)
        given = tuple(node.vjp(g))
        with self._session.noting():
            self._running[-1].pull(node, given)
        return given

    def _add(self, add: Any, before: Any, g: Any) -> Any:
        if not self._running:
            return add(before, g)
        sweep, total = self._running[-1], add(before, g)
        with self._session.noting():
            sweep.arrive(g, None if before is None else total[0])
        return total
