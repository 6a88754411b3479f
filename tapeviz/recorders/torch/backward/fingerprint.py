"""The tensors that a run of autograd's engine starts at -> what tells an equal graph: nodes, edges, and their ops.

A training loop takes the gradient of the same graph again and again. What follows from the graph alone is then worked
out once: two graphs are equal if their nodes are of the same kinds, were made at the same distances, are connected in
the same way, and belong to ops that are connected in the same way.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, NamedTuple

import torch
from torch.autograd.function import BackwardCFunction

from tapeviz.recorders.torch.backward.long_graphs import freed_in_turn
from tapeviz.recorders.torch.backward.nodes import LEAF, counter
from tapeviz.recorders.torch.session import Session

FAILS = "NotImplemented"
"""The class of the nodes of ops without a derivative."""
_LEAVES = frozenset((torch.Tensor, torch.nn.Parameter))


class Fingerprint(NamedTuple):
    """What tells a graph from another, and what it stands for in this run.

    Attributes:
        key: equal for equal graphs.
        nodes: the nodes, as they were met; the key has their places in this list.
        ids: the raw ids of the tensors, as they were met, likewise.
    """

    key: tuple[Any, ...]
    nodes: list[Any]
    ids: list[int]


def fingerprint(session: Session, outputs: Any, since: int) -> Fingerprint | None:
    """That of the graph behind some outputs; None if something in it is not sure to go as the graph says.

    For that no code of the program's may be called by a node, the op of each node has to be known, and all nodes are to
    be numbered from `since` on, so that none has let go of what it saved in an earlier run.
    """
    edges: list[Any] = [(each.grad_fn, each.output_nr) for each in outputs if type(each) is torch.Tensor]
    if len(edges) < len(outputs) or any(node is None for node, _ in edges):
        return None
    places: dict[Any, int] = {}
    key: list[Any] = [(places.setdefault(node, len(places)), index) for node, index in edges]
    nodes = list(places)
    ids: dict[int, int] = {}
    place_of_id = ids.setdefault
    numbered, unseen = session.nodes.numbered, session.nodes.unseen_numbers
    latest, earlier, newest = numbered.latest, numbered.since, counter()
    kinds: set[type] = set()
    ops: set[int] = set()
    of_many: dict[Any, int] = {}  # nodes of ops that have several, or several results
    for node in nodes:  # which grows meanwhile
        kind = type(node)
        if kind is LEAF:
            raw_id = _id_of(session, node.variable)
            if raw_id is None:
                return None
            key += (kind, place_of_id(raw_id, len(ids)), session.is_rewritten(node.variable))
            continue
        if kind not in kinds:
            if issubclass(kind, BackwardCFunction) or kind.__name__ == FAILS:
                return None
            kinds.add(kind)
        number = node._sequence_nr()
        if number < since or number in unseen:
            return None
        stretch = latest if number >= earlier else numbered.stretch_of(number)
        starts = stretch.starts
        at = bisect_right(starts, number) - 1
        if at < 0 or number >= stretch.ends[at]:
            return None
        first, results = starts[at], stretch.outputs[at]
        following = node.next_functions
        key += (kind, newest - number, number - first, len(following))  # lengths, or two keys could read alike
        if type(results) is not int or stretch.ends[at] - first > 1:
            of_many[node] = number
        if first not in ops:
            ops.add(first)
            read = stretch.inputs[at]
            key.append(len(read))
            for each in (*read, *results) if type(results) is tuple else (*read, results):
                key.append(place_of_id(each, len(ids)) if type(each) is int else None)
        edges += following
        for each, index in following:
            place = places.get(each)
            if place is None and each is not None:
                place = places[each] = len(nodes)
                nodes.append(each)
            key += (place, index)
    freed_in_turn(nodes)
    results_of_many = [numbered.output_at(of_many[node], index) for node, index in edges if node in of_many]
    key += [None if each is None else place_of_id(each, len(ids)) for each in results_of_many]
    return Fingerprint(tuple(key), nodes, list(ids))


def _id_of(session: Session, leaf: Any) -> int | None:
    """The raw id of a leaf; None if it is not known yet, gets no gradient, or one that a hook may change."""
    if (
        type(leaf) not in _LEAVES
        or not leaf.requires_grad
        or leaf._backward_hooks
        or leaf._post_accumulate_grad_hooks
        or session.tensors.facts(leaf).shard is not None
    ):
        return None
    return session.tensors.get(leaf)
