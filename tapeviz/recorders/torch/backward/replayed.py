"""A run of autograd's engine, without hooks on its nodes -> the hooks that it would have called, in its order.

A hook costs more than all that is noted in it. Where no values are kept, it would learn only when its node ran, and
that follows from the graph: the engine runs, of the nodes at which all has arrived, the one made last, and leaves
ahead of all others. Every node of PyTorch's own sends a gradient along each of its edges; a function in Python may not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from typing import Any

from torch.autograd.function import BackwardCFunction

from tapeviz.recorders.torch.backward.nodes import LEAF
from tapeviz.recorders.torch.backward.reach import Reach

Hook = Callable[[Any, Any], Any]
MOST = 2
"""Leaves behind one node at which several gradients arrive: the order of more of them is that of the engine's heap."""


FAILS = "NotImplemented"
"""The class of the nodes of ops without a derivative."""
CHANGED = "modified by an inplace operation"
"""Part of PyTorch's message, also where a node is asked for what it saved."""


class _Everything:
    """What arrived at a node, as hooks are given it: something at each of its outputs."""

    def __getitem__(self, index: int) -> bool:
        return True


def is_foreseen(reach: Reach, since: int) -> bool:
    """Whether the run of a whole graph goes as it must: no code of the program's is called by a node, and no node, as
    all are numbered from `since` on, has let go of what it saved in an earlier run."""
    if not reach.is_whole:
        return False
    for node, vjp in reach.nodes.items():
        if vjp is None:
            if node.variable._backward_hooks or node.variable._post_accumulate_grad_hooks:
                return False
        elif isinstance(node, BackwardCFunction) or type(node).__name__ == FAILS or node._sequence_nr() < since:
            return False
        else:
            edges = reach.edges(node)
            if len(edges) > MOST and sum(type(each) is LEAF and reach.meets(each) for each, _ in edges) > MOST:
                return False
    return True


def replay(reach: Reach, hooks: dict[Any, Hook], failed: Callable[[Any], bool] = lambda node: False) -> None:
    """Call the hooks of a run that has ended, with True for every gradient, up to the node that has `failed`."""
    waiting, arrived = reach.waited_for(), _Everything()
    ready: list[tuple[int, int, Any]] = []  # an index keeps nodes of other threads, with the same number, in order
    leaves = [node for node in reach.roots if type(node) is LEAF]
    for at, node in enumerate(reach.roots):
        if node not in waiting and type(node) is not LEAF:
            heappush(ready, (-node._sequence_nr(), at - len(reach.roots), node))
    while ready:
        node = heappop(ready)[2]
        if failed(node):
            return
        edges = reach.edges(node)
        if node in hooks:
            hooks[node](tuple([None if each is None else True for each, _ in edges]), arrived)
        for each, _ in edges:
            if each is not None:
                left = waiting[each] = waiting[each] - 1
                if not left and type(each) is LEAF:
                    leaves.append(each)
                elif not left:
                    heappush(ready, (-each._sequence_nr(), len(ready), each))
        for leaf in leaves:
            if leaf in hooks:
                hooks[leaf]((), arrived)
        leaves.clear()


def failure(error: Exception, nodes: Iterable[Any]) -> Callable[[Any], bool] | None:
    """What tells the node at which a run has stopped; None if nothing does."""
    if CHANGED not in str(error):
        return None
    changed = {node for node in nodes if _saved_what_changed(node)}
    return changed.__contains__ if changed else None


def _saved_what_changed(node: Any) -> bool:
    """Whether a node does not give what it saved, since the program has changed it in place."""
    for name in dir(node):
        if name.startswith("_saved_"):
            try:
                getattr(node, name)
            except RuntimeError as error:
                if CHANGED in str(error):
                    return True
    return False
