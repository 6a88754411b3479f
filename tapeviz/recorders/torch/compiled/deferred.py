"""A call of a graph, compiled -> its inside, and its passes back, each computed when a reader asks for the log.

Until then the log has one op, with the values at the border, and what the graph was given is kept within the budget: a
copy of what the program is about to write to. If the budget has taken some of it, or it was changed out of sight, or
the graph now gives other numbers than it did, the one op stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import get_ident
from types import FrameType
from typing import Any, NamedTuple
from weakref import ref

import torch

from tapeviz.events.raw import INPUTS, KIND, OUTPUTS, STRIDE, VALUES, Deferred
from tapeviz.events.types import StateWritten
from tapeviz.recorders.lines import line_at
from tapeviz.recorders.runs import LoggedRun
from tapeviz.recorders.torch.backward.nodes import DeferredOp
from tapeviz.recorders.torch.backward.reach import Reach
from tapeviz.recorders.torch.backward.sweep import Sweep
from tapeviz.recorders.torch.compiled.graphs import CompiledGraph
from tapeviz.recorders.torch.compiled.inside import computed, nodes_since, scope_inside, standing_for, take_over
from tapeviz.recorders.torch.compiled.side_recording import AutogradState, SideRecording
from tapeviz.recorders.torch.elements import storage_of
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.shared_values import SharedTensor
from tapeviz.recorders.torch.transcript import Unrepeatable
from tapeviz.recorders.torch.values import HeldTorchTensor, held, node_of, tensors_in, unwatched
from tapeviz.recorders.torch.witnesses import Draws, agree, is_simple


class _Input(NamedTuple):
    """A tensor that goes into a graph: what the log keeps of it, its raw id, whether it wants a gradient, and whether
    the graph may write to it."""

    kept: Any
    raw_id: int
    wants: bool
    is_written: bool


class _Border(NamedTuple):
    """A tensor that comes out: its place among the results, or of one that is changed among the arguments; its raw id,
    whether it has a gradient, and the node that the graph has left of it, by its number and the index there."""

    at: int
    is_result: bool
    raw_id: int
    wants: bool
    node: tuple[int, int] | None


class _Inside(NamedTuple):
    """What was computed, with its graph: the tensors at the ends, each with the node that it stands for, and leaves."""

    ends: list[tuple[torch.Tensor, tuple[int, int]]]
    leaves: list[torch.Tensor]


class DeferredCall:
    """A call of a graph that is about to run with `args`."""

    def __init__(self, session: Session, side: SideRecording, graph: CompiledGraph, args: tuple[Any, ...]) -> None:
        self._session = session
        self._side = side
        self._graph = graph
        self._inputs = [
            self._kept(at, each) if isinstance(each, torch.Tensor) else each for at, each in enumerate(args)
        ]
        self._state = AutogradState()
        self._draws: Draws | None = Draws()
        self._border: list[_Border] = []
        self._op: ref[DeferredOp] | None = None
        self._inside: _Inside | None = None
        self._ids: dict[int, int] = {}
        self._is_seen = self._has_failed = False
        self._waiting = 0

    def _kept(self, at: int, operand: torch.Tensor) -> _Input:
        session, is_written = self._session, self._graph.may_change(at, operand)
        raw_id = session.ledger.id_of(operand)
        if is_written:
            with unwatched():
                kept = session.log.keep(held(operand.clone()))
        else:
            kept = session.values.keep_for_later(operand, raw_id)
        return _Input(kept, raw_id, operand.requires_grad, is_written)

    # ----- while the program runs -----

    def ran(
        self, args: tuple[Any, ...], out: Any, changed: Sequence[Any], start: int, caller: FrameType, begin: int
    ) -> None:
        """It has run, and is in the log as one op, and what else it has made, from the record at `begin` on.

        Its nodes are numbered from `start` on.
        """
        session, log = self._session, self._session.log
        nodes = nodes_since(start, [*tensors_in(out), *changed])
        if nodes is None:
            return
        if self._draws is not None and not self._draws.happened():
            self._draws = None
        self._scope = scope_inside(self._graph, log.scope, caller)
        self._line = line_at(caller.f_code, caller.f_lasti)
        places = {id(each): at for at, each in enumerate(args)}
        ends = [(at, True, each) for at, each in enumerate(out) if isinstance(each, torch.Tensor)]
        ends += [(places[id(each)], False, each) for each in changed]
        for at, is_result, each in ends:
            node = node_of(each)
            place = (node._sequence_nr(), each.output_nr) if node in nodes else None
            self._border.append(_Border(at, is_result, session.ledger.id_of(each), each.requires_grad, place))
        if nodes:
            self._follow(nodes)
        values = tuple([each.kept for each in self._tensors()])
        log.append(Deferred, values=values, attrs=(self, (log.end - begin) // STRIDE))

    def _follow(self, nodes: list[Any]) -> None:
        """A pass that comes through these nodes is to go through the inside."""
        known = self._session.nodes.op_of(nodes[0])
        assert known is not None
        reached = self._graph.reached
        leaves = [each.raw_id for at, each in enumerate(self._inputs) if at in reached and type(each) is _Input]
        op = DeferredOp(known.inputs, known.outputs, leaves, self.pulled)
        self._op = ref(op, self._forget)
        self._session.nodes.seen_inside(op, nodes)

    def pulled(self, run: int, upstream: dict[tuple[int, int], Any], is_retained: bool) -> None:
        """A pass has come through its nodes, where this had arrived, and is in the log as the VJP of one op."""
        self._waiting += 1
        pull = _DeferredPull(self, run, upstream, is_retained)
        self._session.log.append(Deferred, values=tuple(upstream.values()), attrs=(pull, 1))

    def _tensors(self) -> list[_Input]:
        return [each for each in self._inputs if type(each) is _Input]

    def _forget(self, op: Any) -> None:
        """The program cannot take a gradient any more: the graph is for the passes that there have been."""
        self._op = None
        if not self._waiting:
            self._inside = None

    # ----- when a reader asks -----

    def records(self, left: list[Any]) -> list[Any] | None:
        """Those of the ops inside."""
        self._is_seen = False
        is_elsewhere = get_ident() != self._session.thread and not self._session.log.closed
        if self._has_failed or is_elsewhere or not is_simple():
            return None
        try:
            with self._state.restored():
                found = self._computed(left)
        except Exception:  # it is `Unrepeatable`, or this PyTorch has it otherwise, for which no reader is to fail
            found = None
        self._side.session.log.take()
        self._is_seen, self._has_failed = found is not None, found is None
        return found

    def _computed(self, left: list[Any]) -> list[Any]:
        session = self._side.session
        leaves: list[torch.Tensor] = []
        arguments: list[Any] = [self._argument(each, leaves) if type(each) is _Input else each for each in self._inputs]
        about = session, self._scope, self._line, self._draws, self._side.recording
        results = computed(self._graph, arguments, *about)
        ours = [(results if each.is_result else arguments)[each.at] for each in self._border]
        self._compare(ours, arguments, _values_of(left))
        self._ids, moved = self._names(ours)
        if self._waiting or self._op is not None:
            ends = [(mine, own.node) for mine, own in zip(ours, self._border, strict=True) if own.node is not None]
            self._inside = _Inside(ends, leaves)
        return [*_renamed(session.log.take(), self._ids), *_written(left, moved)]

    def _argument(self, about: _Input, leaves: list[torch.Tensor]) -> torch.Tensor:
        """What stands in the place of an argument; a leaf is one of the `leaves`."""
        with unwatched():
            elements = _elements(about.kept)
            leaf = elements.clone() if about.is_written else elements.detach()
        if about.wants:
            leaves.append(leaf)
        return standing_for(leaf, about.raw_id, self._side.session, about.wants, about.is_written)

    def _compare(self, ours: list[torch.Tensor], arguments: list[Any], values: dict[int, Any]) -> None:
        """Have the results the last bits of the program's own, as far as the log still has these.

        Raises:
            Unrepeatable: they are others.
        """
        storages = {storage_of(each) for each in tensors_in(arguments)}
        for mine, own in zip(ours, self._border, strict=True):
            value = values.get(own.raw_id)
            elements = value.elements() if isinstance(value, HeldTorchTensor) else None
            if mine.requires_grad is not own.wants or (elements is not None and not agree(mine, elements)):
                raise Unrepeatable
            if elements is not None and storage_of(mine) not in storages:
                take_over(mine, elements)

    def _names(self, ours: list[torch.Tensor]) -> tuple[dict[int, int], dict[int, int]]:
        """The raw ids of results, each with that of the program's own; and of the arguments that were written to, each
        with that of what it holds now.

        Raises:
            Unrepeatable: one is to stand for two.
        """
        names: dict[int, int] = {}
        moved: dict[int, int] = {}
        known = {each.raw_id for each in self._tensors()}
        for mine, own in zip(ours, self._border, strict=True):
            raw_id = self._side.session.ledger.id_of(mine)
            if own.raw_id in known and raw_id != own.raw_id:
                moved[own.raw_id] = raw_id
            elif raw_id != own.raw_id and names.setdefault(raw_id, own.raw_id) != own.raw_id:
                raise Unrepeatable
        return names, moved

    def pull(self, run: int, upstream: dict[tuple[int, int], Any], is_retained: bool) -> list[Any] | None:
        """The records of a pass through the inside; None where the log has none."""
        if not self._is_seen:
            return None
        session, inside = self._side.session, self._inside
        self._waiting -= 1
        if not (is_retained or self._waiting):
            self._inside = None
        if inside is None:
            return []
        try:
            ends = [(each, _elements(upstream[at])) for each, at in inside.ends if at in upstream]
            outputs, seeds = zip(*ends, strict=True)
            with self._state.restored(), self._side.computing():
                sweep = Sweep(session, Reach(session, outputs, inside.leaves), recorded=False, retained=True)
                sweep.run = LoggedRun(session.log, session.tape, run)
                sweep.run_inside(outputs, seeds, tuple(inside.leaves), True)
        except Exception:  # as where what it saved was changed since, by what the program was free to change
            session.log.take()
        return _renamed(session.log.take(), self._ids)


class _DeferredPull:
    """A pass that came through a graph, in a run: what had arrived, and whether the graph is retained."""

    def __init__(self, call: DeferredCall, run: int, upstream: dict[tuple[int, int], Any], is_retained: bool) -> None:
        self._call = call
        self._about = run, upstream, is_retained

    def records(self, left: list[Any]) -> list[Any] | None:
        """Those of the VJPs inside."""
        return self._call.pull(*self._about)


def _elements(kept: Any) -> torch.Tensor:
    """The elements of what a log has kept.

    Raises:
        Unrepeatable: they are not known any more.
    """
    found = kept.elements() if isinstance(kept, (HeldTorchTensor, SharedTensor)) else None
    if found is None:
        raise Unrepeatable
    return found


def _values_of(records: list[Any]) -> dict[int, Any]:
    """The values that records tell of, by raw ids."""
    found: dict[int, Any] = {}
    for start in range(0, len(records), STRIDE):
        ids, values = records[start + OUTPUTS], records[start + VALUES]
        if type(ids) is tuple and type(values) is tuple:
            found.update(zip(ids, values, strict=False))
        elif type(ids) is int:
            found[ids] = values
    return found


def _renamed(records: list[Any], names: dict[int, int]) -> list[Any]:
    """Records with other raw ids."""

    def renamed(entry: Any) -> Any:
        if type(entry) is int:
            return names.get(entry, entry)
        return tuple(map(renamed, entry)) if type(entry) is tuple else entry

    for column in (INPUTS, OUTPUTS):
        records[column::STRIDE] = list(map(renamed, records[column::STRIDE]))
    return records


def _written(left: list[Any], moved: dict[int, int]) -> list[Any]:
    """The records of what was written to, of those that were left: now known is also what was."""
    found: list[Any] = []
    for start in range(0, len(left), STRIDE):
        record = left[start : start + STRIDE]
        if record[KIND] is StateWritten and record[OUTPUTS] in moved:
            record[INPUTS] = moved[record[OUTPUTS]]
            found += record
    return found
