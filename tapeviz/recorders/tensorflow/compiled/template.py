"""The trace of a function -> a template of the records of any call of it, with symbols and ids of its graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, ref

from tensorflow.python.util import nest

from tapeviz.events.program.scope_codes import code_called
from tapeviz.events.raw import ATTRS, CODE, KIND, OUTPUTS, STRIDE, Mentioned, ScopeNode
from tapeviz.recorders.tensorflow.backward.logged_ops import LoggedOp
from tapeviz.recorders.tensorflow.compiled.witnesses import TracedWitness
from tapeviz.recorders.tensorflow.ledger import raw_id


def outside(graph: Any, tensors: Iterable[Any]) -> tuple[Any, ...]:
    """Tensors of a graph, those that it has from outside of it as they are there."""
    captured = {internal._id: external for external, internal in graph.captures}
    return tuple([captured.get(each._id, each) for each in tensors])


class InnerCall:
    """Kind of a template's record of a call of another function: the op, and that function's template."""


class InnerPull:
    """Kind of that of a pass through such a call."""


COPIES = frozenset(("Identity", "IdentityN"))
"""The ops by which TensorFlow copies what goes in and what comes out."""
AT_THE_CALL = code_called("")
"""Stands in a record for the place where the program has called the function."""


class AfterWrite:
    """Stands for the value of a variable after an op of a graph."""

    __slots__ = ("_enum", "handle", "op")

    def __init__(self, op: str, handle: Any, enum: int) -> None:
        self.op = op
        self.handle = handle
        self._enum = enum

    @property
    def _id(self) -> int:
        return 0

    def _datatype_enum(self) -> int:
        return self._enum

    def _shape_tuple(self) -> tuple[int, ...]:
        data = getattr(self.handle, "_handle_data", None)
        parts = data.shape_and_type if data is not None else ()
        return tuple([max(each.size, 0) for each in parts[0].shape.dim]) if parts else ()


class TracedFacts(NamedTuple):
    """What is known of a trace beside its records.

    Attributes:
        callees: the templates of the functions that are called, by the names of the ops that call them.
        ops: the ops that are in the records, by the ids of what they make.
        untracked: what no tape follows further, because of its dtype.
        apart: what was computed in a graph of its own, which no tape sees.
        skipped: what is another tensor in the log.
        witnesses: for functions with their own gradient, by what they give, what TensorFlow has for what they compute.
        optimizers: those that take a step in it.
        is_by_xla: whether XLA compiles the graph.
        is_taken_unseen: whether gradients are taken in it of which nothing is known.
        captured: what it has from outside, with the graph's own tensors, variables among its arguments too.
        branches: of branches and loops that no tape in it records, by the names of their ops, the templates.
    """

    callees: dict[str, Any]
    ops: dict[tuple[int, ...], LoggedOp]
    untracked: set[int]
    apart: set[int]
    skipped: set[int]
    witnesses: Mapping[tuple[int, ...], TracedWitness]
    optimizers: tuple[ref[Any], ...]
    is_by_xla: bool
    is_taken_unseen: bool = False
    captured: Iterable[tuple[Any, Any]] = ()
    branches: Mapping[str, Branches] = MappingProxyType({})


class Branches(NamedTuple):
    """The templates of the graphs of an op: of an `If` its two branches, of a `While` its condition and its body."""

    op: Any
    graphs: tuple[Template, Template]

    @property
    def is_loop(self) -> bool:
        """Whether the op is a loop."""
        return str(self.op.type).endswith("While")

    @property
    def are_as_traced(self) -> bool:
        """Whether TensorFlow has left the op alone, which gets more inputs when it is differentiated."""
        count = len(self.op.inputs) - (not self.is_loop)
        return all(len(each.inputs) == count for each in self.graphs)


class Template:
    """What a recording has seen of a trace: raw records, with the ids of the graph and symbols in the place of values.

    Attributes:
        graph: the graph that was traced, with its `inputs`, `captures` and `outputs`.
        name: what the function is called in the log.
        facts: what else is known of the trace.
        files: the files that the records name.
        is_by_xla: whether XLA compiles it, or a function that it calls.
        is_taken_unseen: whether gradients are taken in it, or in such a function, of which nothing is known.
        optimizers: those that take a step in it, or in a function that it calls.
        returned: the ids of what is made at its end to be returned, and of what is returned by that.
        variables: those that it speaks of, which are variables outside of it, by their ids there.
        skipped: what is another tensor in the log.
        branches: those of the ops that run branches or loops.
    """

    def __init__(self, graph: Any, name: str, records: list[Any], root: ScopeNode, facts: TracedFacts) -> None:
        self.graph = graph
        self.inputs = tuple(graph.inputs)
        self.outputs = results_of(graph)
        own = {each._id for each in self.inputs}
        more = {internal._id: (external, internal) for external, internal in facts.captured if internal._id in own}
        captures = {internal._id: (external, internal) for external, internal in graph.captures} | more
        self.captures = tuple(captures.values())  # TensorFlow takes variables that are arguments out of them
        self.name = name
        self.callees = facts.callees
        self.facts = facts
        self.raw = records
        self.root = root
        self.files = {each.co_filename for each in records[CODE::STRIDE] if each not in (None, AT_THE_CALL)}
        self.files |= {file for branches in facts.branches.values() for each in branches.graphs for file in each.files}
        mentioned = (
            (records[at + OUTPUTS], records[at + ATTRS])
            for at in range(0, len(records), STRIDE)
            if records[at + KIND] is Mentioned
        )
        self.variables = frozenset(raw for raw, about in mentioned if about[0] == "variable")
        self.returned = self._returned()
        self.skipped = facts.skipped | self.returned.keys()
        self.branches = facts.branches
        self.branches_by_result = {tuple(map(raw_id, each.op.outputs)): each for each in facts.branches.values()}
        callees: list[Template] = [each for each in facts.callees.values() if isinstance(each, Template)]
        callees += [each for branches in facts.branches.values() for each in branches.graphs]
        self.optimizers: tuple[ref[Any], ...] = (
            *facts.optimizers,
            *[each for callee in callees for each in callee.optimizers],
        )
        self.is_by_xla: bool = facts.is_by_xla or any(each.is_by_xla for each in callees)
        self.is_taken_unseen: bool = facts.is_taken_unseen or any(each.is_taken_unseen for each in callees)

    def _returned(self) -> dict[int, int]:
        found: dict[int, int] = {}
        inside = {raw_id(each) for each in self.inputs}
        for each in self.outputs:
            made = each.op.inputs[0] if each.op.type == "Identity" else each
            raw = raw_id(made)
            if made is not each and raw not in inside and raw not in found.values():
                found[raw_id(each)] = raw
        return found

    def op_that_made(self, ids: tuple[int, ...]) -> LoggedOp | None:
        """The op in the records that made these tensors, or the first of them; None if there is none."""
        return op_that_made(self.facts.ops, ids)

    def names(self, inputs: Iterable[int], outputs: Iterable[int]) -> dict[int, int]:
        """For ids in the graph, those of what goes in and comes out of a call."""
        found = {raw_id(symbol): raw for symbol, raw in zip(self.inputs, inputs, strict=True)}
        for external, internal in self.captures:
            found[raw_id(external)] = found[raw_id(internal)]
        return found | {raw_id(symbol): raw for symbol, raw in zip(self.outputs, outputs, strict=False)}


def handed_on(symbol: Any) -> Any:
    """Of what a graph gives, the input that it is a copy of; that itself if it is none."""
    made = symbol.op.inputs[0] if symbol.op.type == "Identity" else symbol
    return made if made.op.type == "Placeholder" else symbol


def results_of(graph: Any) -> tuple[Any, ...]:
    """What the function gives: where a tape follows a call, TensorFlow adds to the outputs of the graph."""
    given = nest.flatten(graph.structured_outputs, expand_composites=True)
    return tuple(graph.outputs[: sum(each is not None for each in given)])


def op_that_made(ops: Mapping[tuple[int, ...], LoggedOp], ids: tuple[int, ...]) -> LoggedOp | None:
    """Of ops by what they make, the one that made these tensors, or the first of them; None if there is none."""
    return next((ops[ids[:end]] for end in range(len(ids), 0, -1) if ids[:end] in ops), None)


TEMPLATES: WeakKeyDictionary[Any, Template] = WeakKeyDictionary()
"""The templates of the graphs that were traced in a recording, of whatever function: a later recording calls them, too.
"""
