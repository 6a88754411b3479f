"""A primitive of autograd's, as its node is made -> its record, and what the node is to tell on the way back."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import FrameType
from typing import Any

from autograd import core
from autograd.builtins import container_take, make_sequence
from autograd.tracer import isbox

from tapeviz.events.catalog import CUSTOM
from tapeviz.events.raw import OUTPUTS, STRIDE, TAPES, next_id
from tapeviz.events.types import LeafCreated
from tapeviz.recorders.autograd.names import Form, form_of
from tapeviz.recorders.autograd.nodes import LoggedNode, logged
from tapeviz.recorders.autograd.session import Session
from tapeviz.recorders.autograd.sweeps import Sweeps
from tapeviz.recorders.autograd.trees import Tree, ids_in, mapped, paired, part_of
from tapeviz.recorders.autograd.values import is_array, kept, literal
from tapeviz.recorders.local_names import called_in
from tapeviz.recorders.patches import Row
from tapeviz.recorders.runs import one_or_all


class Ops:
    """Hooks at the making of nodes. A primitive has a node in every trace that follows it, and is one op of the log."""

    def __init__(self, session: Session, sweeps: Sweeps, home: FrameType) -> None:
        self._session = session
        self._log = session.log
        self._sweeps = sweeps
        self._home: FrameType | None = home

    def rows(self) -> list[Row]:
        """The node's constructor."""
        return [self._session.here.instead(core.VJPNode, "__init__", self._note_node)]

    def close(self) -> None:
        """The recording ends: keep no frame of the program's alive."""
        self._home = None

    def _note_node(self, make: Any, node: Any, *call: Any) -> None:
        make(node, *call)
        with self._session.noting():
            self._follow(node, *call)

    def _follow(
        self,
        node: Any,
        value: Any,
        fun: Any,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        argnums: Sequence[int],
        parents: Sequence[Any],
    ) -> None:
        """Log the op of a new node, and let the node tell when it is pulled back."""
        known = [each.vjp for each in parents if isinstance(each.vjp, LoggedNode)]
        if len(known) < len(parents):  # its trace had begun before the recording
            return
        tape = known[0].tape
        tree = self._container(fun, args, known, argnums)
        inner = logged(value) if isbox(value) else None
        if inner is not None:
            self._join(inner, tape)
            width, slots, tree = inner.width, inner.slots, inner.tree
        elif tree is None:
            width, slots, tree = self._write(node.vjp, value, fun, args, kwargs, argnums, known)
        else:
            width, slots = 0, {}
        node.vjp = LoggedNode(
            self._sweeps.pulled, node.vjp, tree, tape, width=width, slots=slots, parents=known, argnums=argnums
        )

    @staticmethod
    def _container(fun: Any, args: Sequence[Any], known: Sequence[LoggedNode], argnums: Sequence[int]) -> Tree:
        """What a primitive gives that only puts arrays into a container, or takes one out; else None."""
        if fun is container_take:
            return part_of(known[0].tree, args[1])
        if fun is make_sequence and len(known) == len(args) - 1:
            return tuple(each.tree for each in known)
        return None

    def _join(self, inner: LoggedNode, tape: int) -> None:
        """The primitive has just run for an inner trace: the op is that one's, and this tape records it, too."""
        raw = self._log.raw
        if inner.width and raw and raw[OUTPUTS - STRIDE] == one_or_all(tuple(inner.ids)):
            raw[TAPES - STRIDE] += (tape,)

    def _write(
        self,
        vjp: Any,
        value: Any,
        fun: Any,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        argnums: Sequence[int],
        known: Sequence[LoggedNode],
    ) -> tuple[int, dict[int, int], Tree]:
        """Append the record of an op: how many inputs it has, the first one of each argument, and what it gives."""
        session, log = self._session, self._log
        log.sign("autograd")
        form = form_of(fun, args, kwargs, argnums)
        frame = session.enter(1)
        entries, slots = self._entries(form, args, dict(zip(argnums, known, strict=True)), frame)
        tree = mapped(value, lambda each, path: next_id())
        made = list(paired(tree, value))
        for raw_id, each in made:
            session.ledger.note(each, raw_id)
        attrs = form.attrs + session.packages.passed(sys._getframe(1), frame)
        users = CUSTOM in form.attrs
        saved = () if users else _saved(vjp, [args[at] for at in form.operands if at in slots], value)
        ids, values = one_or_all(tuple(ids_in(tree))), one_or_all(tuple([kept(log, each) for _, each in made]))
        tapes = tuple({each.tape: None for each in known})
        log.raw += (form.name, entries, ids, values, attrs, saved, tapes, log.scope, frame.f_code, frame.f_lasti)
        return len(entries), slots, tree

    def _entries(
        self, form: Form, args: Sequence[Any], followed: Mapping[int, LoggedNode], frame: FrameType
    ) -> tuple[tuple[Any, ...], dict[int, int]]:
        """The inputs of an op's record, and the first of them that each argument is."""
        entries: list[Any] = []
        slots: dict[int, int] = {}
        for at in form.operands:
            slots[at] = len(entries)
            if at in followed:
                entries += followed[at].ids
                continue
            number = literal(args[at])
            entries.append(self.constant(args[at], frame) if number is None else number)
        return tuple(entries), slots

    def constant(self, value: Any, frame: FrameType) -> int:
        """The id of an array that no node leads to, which is logged as a leaf where the trace first reads it."""
        ledger, log = self._session.ledger, self._log
        raw = ledger.constant(value)
        if raw is not None:
            return raw
        raw, held = next_id(), kept(log, value)
        name = called_in(frame, value, self._home) if is_array(value) else None
        source = ledger.id_of(value)
        parents = () if source is None else (source,)
        about = ("constant", False, name)
        log.append(LeafCreated, parents, raw, held, about, frame.f_code, frame.f_lasti, log.scope)
        ledger.note_constant(value, held, raw)
        return raw


def _saved(vjp: Any, operands: Sequence[Any], value: Any) -> tuple[int, ...]:
    """Which of the operands and the result the function that pulls a node back holds, as its closure says."""
    held = {id(each) for each in _closed_over(vjp, 4)}
    return tuple(slot for slot, each in enumerate((*operands, value)) if id(each) in held)


def _closed_over(function: Any, depth: int) -> list[Any]:
    found = []
    for cell in getattr(function, "__closure__", None) or ():
        try:
            inside = cell.cell_contents
        except ValueError:  # a variable that has no value yet
            continue
        found.append(inside)
        if depth:
            found += _closed_over(inside, depth - 1)
    return found
