"""The template of a traced function, and what a call computed -> the records of the call, and of passes through it."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, NamedTuple

import numpy as np
from tensorflow.python.framework.indexed_slices import IndexedSlices
from tensorflow.python.framework.ops import EagerTensor

from tapeviz.events.attrs import Attrs
from tapeviz.events.log import EventLog
from tapeviz.events.program.scope_codes import code_called
from tapeviz.events.raw import (
    ATTRS,
    CODE,
    INPUTS,
    KIND,
    LASTI,
    OUTPUTS,
    SAVED,
    SCOPE,
    STRIDE,
    TAPES,
    VALUES,
    Mentioned,
    ScopeNode,
    next_id,
)
from tapeviz.events.types import (
    BackwardStarted,
    CotangentAccumulated,
    ParameterUpdated,
    RecordingPaused,
    RecordingResumed,
    StateWritten,
    VjpApplied,
    VjpWitnessed,
)
from tapeviz.events.values import HeldTensor
from tapeviz.phrases import AGAIN_BY_XLA, COMPUTED_AGAIN
from tapeviz.recorders.runs import one_or_all
from tapeviz.recorders.tensorflow.backward.saved import saved_slots
from tapeviz.recorders.tensorflow.compiled.rerun import GraphValues
from tapeviz.recorders.tensorflow.compiled.template import (
    AT_THE_CALL,
    Branches,
    InnerCall,
    InnerPull,
    Template,
    handed_on,
    outside,
)
from tapeviz.recorders.tensorflow.compiled.witnesses import TracedWitness, WitnessedPull
from tapeviz.recorders.tensorflow.ledger import raw_id
from tapeviz.recorders.tensorflow.values import HeldSlices, has_numbers, kept, shape_of

_PAUSES = RecordingPaused, RecordingResumed
_ATTRS_HAVE_IDS = (VjpApplied, CotangentAccumulated)


class CallContext(NamedTuple):
    """A call of a template, as far as all functions in it have it in common.

    Attributes:
        own: the values that the program has, by ids.
        unknown: the variables that the log does not know, nor what is written to them.
        place: the code and the instruction of the program's that calls it.
        followed: for each tape of those around it, the ids that it follows; it follows more as the call goes on.
    """

    own: Mapping[int, Any]
    unknown: Set[int]
    place: tuple[Any, int]
    followed: dict[int, set[int]]


class Instance:
    """The records of a call of a template, with the values of its `run`.

    `names` has the ids of what goes in and comes out by their ids in the graph.
    """

    def __init__(
        self, template: Template, run: GraphValues, names: dict[int, int], root: ScopeNode | None, call: CallContext
    ) -> None:
        self._template = template
        self.run = run
        self._call = call
        self._names = {each: each for each in template.variables} | names
        self._border = set(names.values())
        for returned, result_ids in template.returned.items():
            if returned in names:
                self._names[result_ids] = names[returned]
        self._scopes: dict[int, ScopeNode | None] = {id(template.root): root}
        self._values: dict[int, Any] = {}
        self._inner: dict[str, Instance] = {}

    def records(self) -> list[Any]:
        """They, flat."""
        found: list[Any] = []
        records = self._template.raw
        for at in range(0, len(records), STRIDE):
            record = records[at : at + STRIDE]
            if record[KIND] is InnerCall:
                found += self._inner_call(record)
            elif record[KIND] is InnerPull:
                found += self._inner_pull(record)
            elif record[KIND] is WitnessedPull:
                found += self._witnessed(self.run, record[OUTPUTS], *record[ATTRS])
            elif record[OUTPUTS] in self._template.facts.apart:
                found += self._filled_apart(record)
            elif (branches := self._branches(record)) is not None:
                found += self._rounds(branches, record)
            elif not self._is_known(record[KIND], record[OUTPUTS]):
                found += self._filled(record)
        return found

    def _filled_apart(self, record: list[Any]) -> list[Any]:
        """The tapes around the call do not record an op that has run in a graph of its own."""
        around = self._call.followed
        before, after = ([_record(kind, (tape,), None, None) for tape in around] for kind in _PAUSES)
        filled = self._filled(record)
        filled[TAPES] = tuple([tape for tape in filled[TAPES] if tape not in around])
        for follows in around.values():
            follows.discard(filled[OUTPUTS])
        return [entry for each in (*before, filled, *after) for entry in each]

    def _is_known(self, kind: Any, result_ids: Any) -> bool:
        """Whether a record tells nothing that the log has not: of what goes in, or is only made to be returned."""
        if kind is Mentioned:
            return self.id(result_ids) in self._border
        is_returned = type(kind) is str and result_ids in self._template.returned
        return is_returned or (kind is StateWritten and result_ids in self._call.unknown)

    def _filled(self, record: list[Any]) -> list[Any]:
        kind, result_ids = record[KIND], record[OUTPUTS]
        record[INPUTS] = self._inputs(kind, record[INPUTS])
        record[OUTPUTS] = self._renamed(result_ids)
        if kind in _ATTRS_HAVE_IDS:
            record[ATTRS] = self._renamed(record[ATTRS])
        if kind is ParameterUpdated:
            record[ATTRS] = self._went_by(*record[ATTRS])
        record[TAPES] = tuple(map(self.id, record[TAPES]))
        record[SCOPE] = self._scope(record[SCOPE])
        if record[CODE] is AT_THE_CALL:
            record[CODE], record[LASTI] = self._call.place
        record[VALUES] = self._filled_in(record[VALUES])
        if type(kind) is str:
            self._follow(record, result_ids if type(result_ids) is tuple else (result_ids,))
            if type(record[OUTPUTS]) is int and record[OUTPUTS] in self._call.own:
                record[VALUES] = self._call.own[record[OUTPUTS]]
        return record

    def _follow(self, record: list[Any], result_ids: tuple[int, ...]) -> None:
        """The tapes around the call record an op that reads what they follow."""
        tapes = [
            tape
            for tape, follows in self._call.followed.items()
            if any(type(each) is int and each in follows for each in record[INPUTS])
        ]
        if not tapes:
            return
        logged = self._template.facts.ops.get(result_ids)
        if not record[TAPES] and logged is not None:
            record[SAVED] = saved_slots(logged.form, len(result_ids))
        record[TAPES] = (*tapes, *record[TAPES])
        for tape in tapes:
            self._call.followed[tape].update(
                [self.id(each) for each in result_ids if each not in self._template.facts.untracked]
            )

    # ----- ids -----

    def id(self, entry: Any) -> Any:
        """The id in the call of a tensor, a tape or a run of the template; anything else is what it is."""
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
        return self.id(entry) if type(entry) is int and entry < 0 else entry

    def _inputs(self, kind: Any, entry: Any) -> Any:
        """The same of what goes in, where there are ids of tapes and runs as well: these come first."""
        if type(entry) is int:
            return self.id(entry)
        if type(entry) is not tuple:
            return entry
        numbers = 2 if kind is BackwardStarted else 1
        return (*map(self.id, entry[:numbers]), *map(self._renamed, entry[numbers:]))

    def _scope(self, node: ScopeNode | None) -> ScopeNode | None:
        if node is None:
            return self._scopes[id(self._template.root)]
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
            found = _value(self.run, value.tensor)
            self._values[key] = (value.shape, value.dtype) if found is None else found
        return self._values[key]

    def _went_by(self, optimizer: int, names: tuple[str, ...], options: Attrs) -> tuple[int, tuple[str, ...], Attrs]:
        """What a step goes by: of the numbers that stand in a graph, those that are known."""
        pairs = [(name, self._plain(each) if isinstance(each, HeldTensor) else each) for name, each in options]
        return optimizer, names, tuple([(name, each) for name, each in pairs if each is not None])

    def _plain(self, held: HeldTensor) -> Any:
        """The number that a symbol stands for; None where it is not known."""
        value = self._filled_in(held)
        value = value.read() if isinstance(value, HeldTensor) else value
        return value.item() if isinstance(value, (np.generic, np.ndarray)) else None

    # ----- functions that it calls -----

    def _inner_call(self, record: list[Any]) -> list[Any]:
        op, callee, followed = record[ATTRS]
        given = outside(self._template.graph, op.inputs)
        names = callee.names(*([self.id(raw_id(each)) for each in group] for group in (given, op.outputs)))
        run = self.run.inner.get(op.name, GraphValues())
        call = self._call
        if followed:
            own = {self.id(tape): set(map(self.id, ids)) for tape, ids in followed.items()}
            call = call._replace(followed={**call.followed, **own})
        scope = self._scope(record[SCOPE])
        if "." not in callee.name:  # a step of Keras' own is no part of the user's program
            ending = AGAIN_BY_XLA if callee.is_by_xla else COMPUTED_AGAIN
            place = self._call.place if record[CODE] is AT_THE_CALL else (record[CODE], record[LASTI])
            scope = ScopeNode(scope, code_called(f"{callee.name}{ending}"), *place)
        inner = self._inner[op.name] = Instance(callee, run, names, scope, call)
        return inner.records()

    # ----- branches and loops -----

    def _branches(self, record: list[Any]) -> Branches | None:
        """Those of the op of a record, if they were computed and no tape follows what they read."""
        made = record[OUTPUTS] if type(record[OUTPUTS]) is tuple else (record[OUTPUTS],)
        found = self._template.branches_by_result.get(made) if type(record[KIND]) is str else None
        if found is None or found.op.name not in self.run.rounds:
            return None
        given = {self.id(raw_id(each)) for each in outside(self._template.graph, found.op.inputs)}
        return found if all(given.isdisjoint(follows) for follows in self._call.followed.values()) else None

    def _rounds(self, branches: Branches, record: list[Any]) -> list[Any]:
        """The records of the branch that was taken, or of the rounds of a loop, each in a scope of its own."""
        op, found = branches.op, list[Any]()
        outer = self._scope(record[SCOPE])
        place = self._call.place if record[CODE] is AT_THE_CALL else (record[CODE], record[LASTI])
        state = [self.id(raw_id(each)) for each in outside(self._template.graph, op.inputs)]
        state = state if branches.is_loop else state[1:]
        results = [self.id(raw_id(each)) for each in op.outputs]
        rounds, is_cut = self.run.rounds[op.name], op.name in self.run.cut
        for at, (template, run) in enumerate(rounds):
            given = {raw_id(symbol): raw for symbol, raw in zip(template.inputs, state, strict=True)}
            made = results if at == len(rounds) - 1 and not is_cut else [next_id() for _ in results]
            outputs = template.graph.outputs
            state = [given.get(raw_id(handed_on(each)), raw) for each, raw in zip(outputs, made, strict=False)]
            scope = ScopeNode(outer, code_called("while" if branches.is_loop else "if"), *place)
            names = {raw_id(each): raw for each, raw in zip(outputs, state, strict=False)}
            names = template.names(given.values(), ()) | names
            found += Instance(template, run, names, scope, self._call).records()
        if is_cut:
            logged: Any = self._template.op_that_made(tuple(map(raw_id, op.outputs)))
            rest = self._filled(record)
            rest[INPUTS] = tuple([state[at] for at in logged.form.arguments])
            return found + rest + self._written_by(op, outer, place)
        for symbol, raw, result in zip(op.outputs, state, results, strict=False):
            if raw != result and has_numbers(symbol) and symbol.consumers():  # it is handed on as it was
                found += ["identity", (raw,), result, self._of_output(symbol, result), (), (), (), outer, *place]
        return found

    def _written_by(self, op: Any, scope: ScopeNode | None, place: tuple[Any, int]) -> list[Any]:
        """The records of what an op has written to variables."""
        found: list[Any] = []
        only_read = set(op.get_attr("_read_only_resource_inputs"))
        for at, handle in enumerate(outside(self._template.graph, op.inputs)):
            value = self.run.after.get((op.name, handle._id))
            raw = self.id(raw_id(handle))
            if at not in only_read and value is not None and raw not in self._call.unknown:
                found += [StateWritten, None, raw, kept(_UNBOUND, value), "assign", (), (), scope, *place]
        return found

    def _of_output(self, symbol: Any, result: int) -> Any:
        """What the log has of what an op gives."""
        value = self.run.of(symbol)
        known = (shape_of(symbol), symbol.dtype.name) if value is None else kept(_UNBOUND, value)
        return self._call.own.get(result, known)

    def _inner_pull(self, record: list[Any]) -> list[Any]:
        backward, result_ids, op, tape, counts = record[ATTRS]
        run = self.run.inner.get(result_ids.name, GraphValues())
        counts = {self.id(raw): count for raw, count in counts.items()}
        return self._inner[op.name].pulled(backward, run, self.id(record[INPUTS]), self.id(tape), counts)

    # ----- a pass back through it -----

    def pulled(self, backward: Any, run: GraphValues, number: int, tape: int, counts: dict[int, int]) -> list[Any]:
        """The records of a pass of a tape, a run of some number, in which so many contributions have arrived before."""
        found: list[Any] = []
        follows = self._call.followed.get(tape, set())
        summed = {raw: max(count, 1) for raw, count in counts.items()}
        for op, upstream, contributions in backward.steps:
            outputs = tuple(map(self.id, op.outputs))
            if follows.isdisjoint(outputs):
                continue
            for raw, total in zip(outputs, upstream, strict=False):
                if counts.get(raw, 0) > summed.get(raw, 1):
                    summed[raw] = counts[raw]
                    about = (number, counts[raw])
                    found += _record(CotangentAccumulated, about, raw, _known(_value(run, total)))
            entries = tuple(map(self.id, op.inputs))
            arriving = [each if entry in follows else None for entry, each in zip(entries, contributions, strict=True)]
            for entry, each in zip(entries, arriving, strict=True):
                if each is not None:
                    counts[entry] = counts.get(entry, 0) + 1
            values = tuple([None if each is None else _known(_value(run, each)) for each in arriving])
            found += _record(VjpApplied, number, one_or_all(outputs), values)
            witness = self._template.facts.witnesses.get(op.outputs)
            if witness is not None:
                found += self._witnessed(run, op.outputs, witness, upstream, contributions)
        return found

    def _witnessed(
        self, run: GraphValues, result_ids: tuple[int, ...], witness: TracedWitness, upstream: Any, rule: Any
    ) -> list[Any]:
        """What TensorFlow has for a user's function with its own gradient, beside what that gave in a pass."""
        seeds = [run.of(each) for each in upstream[: len(result_ids)]]
        theirs = witness.take(self.run, seeds)
        if theirs is None:
            return []
        ours = [None if each is None else _value(run, each) for each in rule]
        values = (*([None if each is None else kept(_UNBOUND, each) for each in group] for group in (seeds, theirs)),)
        groups = tuple(map(tuple, (values[0], ours, values[1], [None] * len(ours))))
        record = _record(VjpWitnessed, None, one_or_all(tuple(map(self.id, result_ids))), groups)
        record[ATTRS] = witness.about
        return record


def _known(value: Any) -> Any:
    return True if value is None else value


def _record(kind: Any, inputs: Any, outputs: Any, values: Any) -> list[Any]:
    return [kind, inputs, outputs, values, None, (), (), None, None, -1]


_UNBOUND = EventLog(max_bytes=1 << 62)


def _value(run: GraphValues, symbol: Any) -> Any:
    """What a log has of the value of a symbol; None where it is not known."""
    if isinstance(symbol, IndexedSlices):
        values, indices = run.of(symbol.values), run.of(symbol.indices)
        dense = run.of(symbol.dense_shape) if symbol.dense_shape is not None else None
        if values is None or indices is None or dense is None:
            return None
        shape = tuple(int(each) for each in dense.numpy())
        return HeldSlices(IndexedSlices(values, indices, dense), shape, values.dtype.name, values.numpy().nbytes)
    found = symbol if isinstance(symbol, EagerTensor) else run.of(symbol)
    return None if found is None else kept(_UNBOUND, found)
