"""The trace of a function -> the records of any call of it: as traced, with the ids and values of the call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

from tensorflow.python.framework.indexed_slices import IndexedSlices
from tensorflow.python.framework.ops import EagerTensor

from tapeviz.events.log import EventLog
from tapeviz.events.raw import (
    ATTRS,
    CODE,
    INPUTS,
    KIND,
    LASTI,
    OUTPUTS,
    SCOPE,
    STRIDE,
    TAPES,
    VALUES,
    Mentioned,
    ScopeNode,
    next_id,
)
from tapeviz.events.types import BackwardStarted, CotangentAccumulated, StateWritten, VjpApplied
from tapeviz.recorders.tensorflow.compiled.again import GraphRun
from tapeviz.recorders.tensorflow.compiled.generated import GeneratedLines
from tapeviz.recorders.tensorflow.ledger import raw_id
from tapeviz.recorders.tensorflow.values import HeldSlices, HeldTensor, kept

_ATTRS_HAVE_IDS = (VjpApplied, CotangentAccumulated)


def outside(graph: Any, tensors: Iterable[Any]) -> tuple[Any, ...]:
    """Tensors of a graph, those that it has from outside of it as they are there."""
    captured = {internal._id: external for external, internal in graph.captures}
    return tuple([captured.get(each._id, each) for each in tensors])


class InnerCall:
    """Kind of a template's record of a call of another function: the op, and that function's template."""


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


class Template:
    """The records of a trace.

    Attributes:
        graph: the graph that was traced, with its `inputs`, `captures` and `outputs`.
        name: what the function is called in the log.
        callees: the templates of the functions that it calls, by the names of the ops that call them.
        files: the files that the records name.
    """

    def __init__(
        self, graph: Any, name: str, records: list[Any], root: ScopeNode | None, callees: dict[str, Template]
    ) -> None:
        self.graph = graph
        self.inputs = tuple(graph.inputs)
        self.outputs = tuple(graph.outputs)  # where a tape follows a call, TensorFlow adds to those of the graph
        self.captures = tuple(graph.captures)
        self.name = name
        self.callees = callees
        self._records = records
        self._root = root
        codes = [each for each in records[CODE::STRIDE] if each is not None]
        self.files = {each.co_filename for each in codes}

    @classmethod
    def of(
        cls,
        graph: Any,
        log: EventLog,
        root: ScopeNode,
        name: str,
        lines: GeneratedLines,
        callees: dict[str, Template],
    ) -> Template:
        """What a log has of the trace of a graph."""
        records = log.take()
        known: dict[int, ScopeNode | None] = {id(root): root}
        for at in range(0, len(records), STRIDE):
            records[at + CODE], records[at + LASTI] = lines.place(records[at + CODE], records[at + LASTI])
            records[at + SCOPE] = lines.scope(records[at + SCOPE], known)
        return cls(graph, name, records, root, callees)

    def results(self) -> dict[int, int]:
        """The ids of what it returns, by the ids of what is made at its end to be returned."""
        found: dict[int, int] = {}
        inside = {raw_id(each) for each in self.inputs}
        for each in self.outputs:
            made = each.op.inputs[0] if each.op.type == "Identity" else each
            raw = raw_id(made)
            if raw not in inside and raw not in found.values():
                found[raw_id(each)] = raw
        return found

    def records(
        self, run: GraphRun, names: dict[int, int], root: ScopeNode | None, own: Mapping[int, Any], unknown: Set[int]
    ) -> list[Any]:
        """Those of a call, with the values of its `run`.

        `names` has the ids of what goes in and comes out by their ids in the graph; `own` the values by these ids. Of
        the variables in `unknown` the log does not know, nor will it know what is written to them.
        """
        return _Instance(self, run, names, root, own, unknown).records()


class _Instance:
    """One call."""

    def __init__(
        self,
        template: Template,
        run: GraphRun,
        names: dict[int, int],
        root: ScopeNode | None,
        own: Mapping[int, Any],
        unknown: Set[int],
    ) -> None:
        self._template = template
        self._unknown = unknown
        self._run = run
        self._root = root
        self._own = own
        self._names = dict(names)
        self._border = set(names.values())
        for made, returned in template.results().items():
            if made in names:
                self._names[returned] = names[made]
        self._skipped = set(template.results())
        self._scopes: dict[int, ScopeNode | None] = {id(template._root): root}
        self._values: dict[int, Any] = {}
        self._known = EventLog(max_bytes=1 << 62)

    def records(self) -> list[Any]:
        found: list[Any] = []
        records = self._template._records
        for at in range(0, len(records), STRIDE):
            record = records[at : at + STRIDE]
            if record[KIND] is InnerCall:
                found += self._inner(record)
            elif not self._is_known(record[KIND], record[OUTPUTS]):
                found += self._filled(record)
        return found

    def _is_known(self, kind: Any, made: Any) -> bool:
        """Whether a record tells nothing that the log has not: of what goes in, or is only made to be returned."""
        if kind is Mentioned:
            return self._id(made) in self._border
        return (type(kind) is str and made in self._skipped) or (kind is StateWritten and made in self._unknown)

    def _filled(self, record: list[Any]) -> list[Any]:
        kind = record[KIND]
        record[INPUTS] = self._inputs(kind, record[INPUTS])
        record[OUTPUTS] = self._renamed(record[OUTPUTS])
        if kind in _ATTRS_HAVE_IDS:
            record[ATTRS] = self._renamed(record[ATTRS])
        record[TAPES] = tuple(map(self._id, record[TAPES]))
        record[SCOPE] = self._scope(record[SCOPE])
        record[VALUES] = self._filled_in(record[VALUES])
        if type(record[OUTPUTS]) is int and record[OUTPUTS] in self._own and type(kind) is str:
            record[VALUES] = self._own[record[OUTPUTS]]
        return record

    # ----- ids -----

    def _id(self, entry: Any) -> Any:
        if type(entry) is not int:
            return entry
        found = self._names.get(entry)
        if found is None:
            found = self._names[entry] = next_id()
        return found

    def _renamed(self, entry: Any) -> Any:
        """An entry with the ids of the call. Those of tensors are negative, and other numbers are none."""
        if type(entry) is tuple:
            return tuple(map(self._renamed, entry))
        return self._id(entry) if type(entry) is int and entry < 0 else entry

    def _inputs(self, kind: Any, entry: Any) -> Any:
        """The same of what goes in, where there are ids of tapes and runs as well: these come first."""
        if type(entry) is int:
            return self._id(entry)
        if type(entry) is not tuple:
            return entry
        numbers = 2 if kind is BackwardStarted else 1
        return (*map(self._id, entry[:numbers]), *map(self._renamed, entry[numbers:]))

    def _scope(self, node: ScopeNode | None) -> ScopeNode | None:
        if node is None:
            return self._root
        if id(node) not in self._scopes:
            self._scopes[id(node)] = ScopeNode(self._scope(node.parent), node.code, node.caller, node.lasti)
        return self._scopes[id(node)]

    # ----- values -----

    def _filled_in(self, value: Any) -> Any:
        if type(value) is tuple and any(isinstance(each, HeldTensor) or type(each) is tuple for each in value):
            return tuple(map(self._filled_in, value))
        if not isinstance(value, HeldTensor):
            return value
        key = id(value.tensor)
        if key not in self._values:
            self._values[key] = self._value(value)
        return self._values[key]

    def _value(self, value: HeldTensor) -> Any:
        symbol = value.tensor
        if isinstance(value, HeldSlices):
            parts = self._run.of(symbol.values), self._run.of(symbol.indices)
            if any(each is None for each in parts):
                return value.shape, value.dtype
            return HeldSlices(IndexedSlices(*parts, symbol.dense_shape), value.shape, value.dtype, value.nbytes)
        found = symbol if isinstance(symbol, EagerTensor) else self._run.of(symbol)
        return (value.shape, value.dtype) if found is None else kept(self._known, found)

    # ----- functions that it calls -----

    def _inner(self, record: list[Any]) -> list[Any]:
        op, callee = record[ATTRS]
        given = outside(self._template.graph, op.inputs)
        names: dict[int, int] = {}
        for symbol, each in zip(callee.inputs, given, strict=True):
            names[raw_id(symbol)] = self._id(raw_id(each))
        for external, internal in callee.captures:
            names[raw_id(external)] = names[raw_id(internal)]
        for symbol, each in zip(callee.outputs, op.outputs, strict=True):
            names[raw_id(symbol)] = self._id(raw_id(each))
        root = self._scope(record[SCOPE])
        run = self._run.inner.get(op.name, GraphRun())
        return callee.records(run, names, root, self._own, self._unknown)

