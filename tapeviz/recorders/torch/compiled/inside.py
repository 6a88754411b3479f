"""A graph that has run, compiled -> its ops, which are computed again on what it was given, and recorded.

They count only if they give what the graph gave, up to rounding. In a log that keeps values, that is done when a reader
asks, by a call that is `deferred`; in others at once. Where autograd follows them, they then live as long as the node
of the graph, and a pass that comes through it goes through them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import FrameType
from typing import Any, TypeAlias

import torch

from tapeviz.events.program.frames import resume, scope_called
from tapeviz.events.raw import ScopeNode
from tapeviz.phrases import COMPUTED_AGAIN
from tapeviz.recorders.lines import Line, line_at
from tapeviz.recorders.torch.backward.nodes import LEAF, InsideOp
from tapeviz.recorders.torch.compiled.graphs import CompiledGraph
from tapeviz.recorders.torch.compiled.nodes import NodePlaces, NodeRunner
from tapeviz.recorders.torch.elements import storage_of
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.transcript import is_plain
from tapeviz.recorders.torch.values import node_of, tensors_in, unwatched
from tapeviz.recorders.torch.witnesses import Draws, agree, is_simple

Recording: TypeAlias = Callable[[], AbstractContextManager[None]]
"""Makes a block in which the recorder sees what runs, and nothing of the program's does."""
Pairs: TypeAlias = list[tuple[torch.Tensor, torch.Tensor]]
"""Tensors that are computed again, each with the program's own."""


class RepeatedCall:
    """A call of a graph that is about to run with `args`, and is to be computed again at once."""

    def __init__(self, session: Session, graph: CompiledGraph, args: tuple[Any, ...]) -> None:
        self._session = session
        self._graph = graph
        self._args = args
        self._draws = Draws()
        with unwatched():
            self._copies = {at: args[at].detach().clone() for at in range(len(args)) if graph.may_change(at, args[at])}
        self._leaves: list[torch.Tensor] = []

    def compute(self, out: Any, changed: Sequence[Any], start: int, caller: FrameType, recording: Recording) -> bool:
        """Compute it again, and have that recorded; whether it gave `out` and changed its operands as they were.

        The nodes that the program itself has of this call are numbered from `start` on.
        """
        log, scope = self._session.log, self._session.log.scope
        begin = log.end
        nodes = nodes_since(start, [*tensors_in(out), *changed])
        if nodes is None:
            return False
        try:
            pairs = self._run(out, changed, caller, recording)
            is_same = all(ours.requires_grad is own.requires_grad and agree(ours, own) for ours, own in pairs)
        except Exception:  # of what this PyTorch has otherwise, for which no program is to fail
            is_same = False
        finally:
            resume(log, caller, scope)
        if not is_same:
            log.take_back(begin)
            return False
        self._bind(pairs, nodes)
        return True

    def _run(self, out: Any, changed: Sequence[Any], caller: FrameType, recording: Recording) -> Pairs:
        arguments = list(map(self._argument, range(len(self._args)), self._args))
        scope = scope_inside(self._graph, self._session.log.scope, caller)
        line = line_at(caller.f_code, caller.f_lasti)
        results = computed(self._graph, arguments, self._session, scope, line, self._draws, recording)
        copies = {id(each): copy for each, copy in zip(self._args, arguments, strict=True)}
        pairs = [(ours, own) for ours, own in zip(results, out, strict=True) if isinstance(own, torch.Tensor)]
        return [*pairs, *((copies[id(each)], each) for each in changed)]

    def _argument(self, at: int, operand: Any) -> Any:
        """What stands in the place of an argument."""
        if not isinstance(operand, torch.Tensor):
            return operand
        raw_id = self._session.ledger.id_of(operand)
        is_written = self._graph.may_change(at, operand)
        with unwatched():
            leaf = self._copies[at] if is_written else operand.detach()
        if operand.requires_grad:
            self._leaves.append(leaf)
        return standing_for(leaf, raw_id, self._session, operand.requires_grad, is_written)

    def _bind(self, pairs: Pairs, nodes: list[Any]) -> None:
        """The program's own tensors are those that were computed again, and have the same numbers."""
        session = self._session
        storages = {storage_of(each) for each in tensors_in(self._args)}
        ends = []
        for ours, own in pairs:
            raw_id = session.ledger.id_of(ours)
            session.tensors.bind(own, raw_id)
            node = node_of(own)
            if node in nodes:
                session.nodes.note_output(own, raw_id)
                ends.append((ours, node._sequence_nr(), own.output_nr))
            if storage_of(ours) not in storages:
                take_over(ours, own)
        session.nodes.seen_inside(InsideOp(ends, self._leaves), nodes)


def scope_inside(graph: CompiledGraph, outer: ScopeNode | None, caller: FrameType) -> ScopeNode:
    """The scope of the ops inside of a graph that the user's frame has called."""
    return scope_called(f"{graph.function}{COMPUTED_AGAIN}", outer, caller)


def standing_for(leaf: torch.Tensor, raw_id: int, session: Session, wants: bool, is_written: bool) -> torch.Tensor:
    """What stands in the place of an argument with this raw id, and has its elements: of a tensor that wants a gradient
    a leaf, or what is made of one to be written into."""
    leaf.requires_grad_(wants)
    session.tensors.bind(leaf, raw_id)
    if not (wants and is_written):
        return leaf
    with torch.enable_grad():
        written = leaf.clone()
    session.tensors.bind(written, raw_id)
    return written


def computed(
    graph: CompiledGraph,
    arguments: Sequence[Any],
    session: Session,
    scope: ScopeNode,
    call: Line,
    draws: Draws | None,
    recording: Recording,
) -> Any:
    """What a graph gives that is computed again in a session, with the random numbers that it drew, if it drew any."""
    drawn = None if draws is None else Draws()
    places = NodePlaces(session.log, scope, call, graph.function, graph.reported)
    nodes = NodeRunner(graph.module, places, graph.functions)
    if draws is not None:
        draws.rewind()
    try:
        with recording(), nodes.as_before():
            return nodes.run(*arguments)
    finally:
        if drawn is not None:
            drawn.rewind()


def take_over(ours: torch.Tensor, own: torch.Tensor) -> None:
    """Have what is computed again the program's own last bits."""
    if not torch.equal(ours, own):
        with unwatched():
            ours.data.copy_(own.detach())


def nodes_since(start: int, results: Sequence[torch.Tensor]) -> list[Any] | None:
    """The nodes from number `start` on that results have; None if those of one lead to another, whose gradient then
    comes in two ways."""
    ends = dict.fromkeys(node for each in results if (node := node_of(each)) and node._sequence_nr() >= start)
    found = list(ends)
    for node in found:
        for each, _ in node.next_functions:
            if each in ends:
                return None
            if each is not None and type(each) is not LEAF and each not in found and each._sequence_nr() >= start:
                found.append(each)
    return found


def can_compute_again(graph: CompiledGraph, args: tuple[Any, ...]) -> bool:
    """Whether a call of a graph can be computed again as it is."""
    return graph.module is not None and is_simple() and all(map(is_plain, tensors_in(args)))
