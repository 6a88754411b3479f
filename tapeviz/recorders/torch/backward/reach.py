"""The outputs that a run of autograd's engine starts at -> every node that it can meet, and the op of each."""

from __future__ import annotations

from typing import Any

import torch

from tapeviz.recorders.torch.backward.long_graphs import freed_in_turn
from tapeviz.recorders.torch.backward.nodes import LEAF, CompiledOp
from tapeviz.recorders.torch.backward.sequence_numbers import LoggedOp
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.values import node_of


class PendingVjp:
    """The VJP of one op, while its nodes run.

    Attributes:
        op: the op.
        nodes_left: how many of its nodes have not run yet.
        has_one_node: whether it has only one.
        contributions: pairs of an input of the op and the gradient that has been sent to it.
        totals: pairs of an output of the op and the sum of the gradients that have arrived there.
        leaf_totals: the same for leaves to which one of its nodes has sent the last contribution.
        upstream: what has arrived at each node of a compiled graph, by its number.
    """

    __slots__ = ("contributions", "has_one_node", "leaf_totals", "nodes_left", "op", "totals", "upstream")

    def __init__(self, op: LoggedOp) -> None:
        self.op = op
        self.nodes_left = 0
        self.has_one_node = not isinstance(op, CompiledOp)
        self.contributions: list[tuple[int, Any]] = []
        self.totals: list[tuple[int, Any]] = []
        self.leaf_totals: list[tuple[int, Any]] = []
        self.upstream: dict[int, tuple[Any, ...]] = {}


NOTHING = PendingVjp(LoggedOp((), ()))
"""What no node is a part of."""


class Reach:
    """All that one run can meet: `vjps`, and `nodes`, with the VJP that each is a part of, or None for a leaf.

    It starts at the nodes `roots`, and `is_whole` if no node has been met whose op is not known.

    If only the gradients of some `inputs` are requested, nodes that do not lead to these do not run.
    """

    def __init__(self, session: Session, outputs: Any, inputs: Any) -> None:
        self._session = session
        self.vjps: dict[int, PendingVjp] = {}
        self.nodes: dict[Any, PendingVjp | None] = {}
        self._edges: dict[Any, Any] = {}
        self._incoming: dict[tuple[Any, int], int] = {}
        self._idle: set[Any] = set()
        self.roots: list[Any] = []
        self.is_whole = True
        self._walk(outputs)
        if inputs:
            self._leave_idle(inputs)

    def _walk(self, outputs: Any) -> None:
        """Find all nodes, and the op of each; a node that was made out of sight counts to the op that it feeds."""
        pending: list[tuple[Any, LoggedOp | None]] = []
        for each in outputs:
            node, _ = self._end_of(each)
            if node is not None:
                pending.append((node, None))
                self.roots.append(node)
        graph, nodes, incoming = self._session.nodes, self.nodes, self._incoming
        while pending:
            node, feeds = pending.pop()
            if node in nodes:
                continue
            if type(node) is LEAF:
                nodes[node] = None
                continue
            op = graph.op_of(node) or feeds
            if op is None:
                self.is_whole = False
                continue
            vjp = self.vjps.get(id(op))
            if vjp is None:
                vjp = self.vjps[id(op)] = PendingVjp(op)
            else:
                vjp.has_one_node = False
            vjp.nodes_left += 1
            nodes[node] = vjp
            self._edges[node] = edges = graph.edges_of(node)
            for edge in edges:
                if edge[0] is not None:
                    incoming[edge] = incoming.get(edge, 0) + 1
                    pending.append((edge[0], op))
        freed_in_turn(nodes)
        self._look_inside()

    def _end_of(self, each: Any) -> tuple[Any, int]:
        """The edge at which a tensor is that is no leaf, or one that a program gives by itself."""
        node = node_of(each) if isinstance(each, torch.Tensor) else each.node
        return self._session.nodes.onward((node, each.output_nr))

    def _look_inside(self) -> None:
        """Where a compiled graph sends one gradient, several may arrive from its inside, or none."""
        for node, vjp in self.nodes.items():
            if vjp is not None and isinstance(vjp.op, CompiledOp):
                ways = vjp.op.ways(self._session.ledger.id_of)
                for edge, tensor in zip(self._edges[node], self.targets(node, vjp), strict=True):
                    if tensor is not None:
                        self._incoming[edge] += ways[tensor] - 1

    def _leave_idle(self, inputs: Any) -> None:
        """Do not wait for nodes that do not lead to these inputs."""
        before: dict[Any, list[Any]] = {}
        for node in self.nodes:
            for each, _ in self._edges.get(node, ()):
                before.setdefault(each, []).append(node)
        leaves = {id(each) for each in inputs if isinstance(each, torch.Tensor) and each.grad_fn is None}
        pending = [node for node, vjp in self.nodes.items() if vjp is None and id(node.variable) in leaves]
        pending += [self._end_of(each)[0] for each in inputs]
        needed: set[Any] = set()
        while pending:
            for node in before.get(pending.pop(), ()):
                if node not in needed:
                    needed.add(node)
                    pending.append(node)
        for node, vjp in self.nodes.items():
            if vjp is not None and node not in needed:
                vjp.nodes_left -= 1
                self._idle.add(node)

    def leaves(self) -> list[Any]:
        """The tensors that the run leaves a gradient in, in the order they were made known.

        One that was frozen after it was used gets none, nor does one to which nothing in a compiled graph leads.
        """
        leaves = [node for node, vjp in self.nodes.items() if vjp is None]
        met = [node.variable for node in leaves if self._incoming.get((node, 0), 1)]
        found = {id(each): each for each in met if each.requires_grad}
        known = self._session.ledger.retained()
        retained = [each for each in known if self.nodes.get(self._end_of(each)[0]) is not None]
        return sorted([*found.values(), *retained], key=self._session.ledger.id_of)

    def meets(self, node: Any) -> bool:
        """Whether several gradients arrive at a leaf."""
        return self._incoming.get((node, 0), 0) > 1

    def gives_alone(self, node: Any, index: int) -> bool:
        """Whether what arrives at an output of a node is what one edge sends there."""
        return self._incoming.get((node, index)) == 1 and node not in self.roots

    def edges(self, node: Any) -> tuple[tuple[Any, int], ...]:
        """Where a node that is no leaf sends gradients: pairs of a node, None where it sends none, and an index."""
        found: tuple[tuple[Any, int], ...] = self._edges[node]
        return found

    def waited_for(self) -> dict[Any, int]:
        """For each node, how many gradients it waits for."""
        found: dict[Any, int] = {}
        for (node, _), count in self._incoming.items():
            found[node] = found.get(node, 0) + count
        return found

    def is_needed(self, node: Any) -> bool:
        """Whether a node runs."""
        return node not in self._idle

    def is_way_out(self, node: Any) -> bool:
        """Whether a node of an op sends something to others, or nothing to nodes of its own op.

        Of the nodes of an op that run, one of these is the last.
        """
        vjp, others = self.nodes[node], [self.nodes.get(each) for each, _ in self._edges[node] if each is not None]
        return vjp not in others or any(each is not vjp for each in others)

    def targets(self, node: Any, vjp: PendingVjp) -> list[int | None]:
        """For each edge of a node, the tensor that gets a gradient along it; None for an edge inside the op."""
        found: list[int | None] = []
        for edge in self._edges[node]:
            if edge[0] is None:
                found.append(None)
                continue
            other = self.nodes[edge[0]]
            if other is vjp:
                found.append(None)
            else:
                found.append(self._session.nodes.tensor_of(edge, None if other is None else other.op))
        return found

    def sums(self, wanted: dict[tuple[Any, int], None]) -> dict[Any, list[tuple[int, int, bool]]]:
        """For each node of an op at which several gradients arrive: the index of the output, the tensor, and whether to
        log their sum. The sum is not logged if one of them comes from inside the op, as it is part of its VJP.

        Edges that are `wanted` for are included even if only one gradient arrives.
        """
        found: dict[Any, list[tuple[int, int, bool]]] = {}
        asked = dict.fromkeys(map(self._session.nodes.onward, wanted))
        edges = asked | dict.fromkeys(edge for edge, count in self._incoming.items() if count > 1)
        inside = self._inside() if edges else ()
        for edge in edges:
            node, index = edge
            vjp = self.nodes.get(node)
            if vjp is not None:
                tensor = self._session.nodes.tensor_of(edge, vjp.op)
                if tensor is not None:
                    found.setdefault(node, []).append((index, tensor, edge not in inside or edge in asked))
        return found

    def _inside(self) -> set[tuple[Any, int]]:
        """The edges between nodes of one op."""
        composed = [(node, vjp) for node, vjp in self.nodes.items() if vjp is not None and not vjp.has_one_node]
        return {edge for node, vjp in composed for edge in self._edges[node] if self.nodes.get(edge[0]) is vjp}

    def forget(self) -> None:
        """Release the graph at the end of the run."""
        self.nodes, self._edges, self._incoming = {}, {}, {}
