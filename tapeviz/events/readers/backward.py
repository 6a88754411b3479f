"""Raw records of backward passes and optimizers -> typed events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from tapeviz.events import types
from tapeviz.events.raw import ATTRS, CODE, INPUTS, LASTI, OUTPUTS, VALUES, Arrived, PulledBack
from tapeviz.events.readers.base import GrowingTables, Reader, Readers


class BackwardReader(Reader):
    """Gradients on their way back: a contribution is told from the sum that it is part of."""

    def __init__(self, tables: GrowingTables) -> None:
        super().__init__(tables)
        self._optimizers: dict[int, int] = {}
        self._totals: dict[tuple[int, int], int] = {}
        self._parts: dict[tuple[int, int], list[int]] = {}
        self._sums: Counter[tuple[int, int]] = Counter()
        self._sources: dict[int, tuple[int, ...]] = {}

    def readers(self) -> Readers:
        return {
            Arrived: self._arrived,
            PulledBack: self._pulled_back,
            types.BackwardStarted: self._backward_started,
            types.VjpApplied: self._vjp,
            types.VjpWitnessed: self._witnessed,
            types.CotangentAccumulated: self._accumulated,
            types.BackwardFinished: self._backward_finished,
            types.GradientStored: self._stored,
            types.GradientCleared: self._cleared,
            types.GradientRead: self._gradient_read,
            types.OptimizerCreated: self._optimizer_created,
            types.OptimizerStepped: self._optimizer_stepped,
            types.ParameterUpdated: self._updated,
            types.BuffersMeasured: self._measured,
        }

    def _backward_started(self, record: list[Any]) -> None:
        """Its inputs: the run, the tape, how many rows of a Jacobian it is of or None, and its `create_graph`."""
        raw_run, raw_tape, rows, create_graph = record[INPUTS]
        run, tape = self._run(raw_run), self._tape(raw_tape)
        targets, sources = map(self._ids, record[OUTPUTS])
        if len(targets) == 1:
            self._call_by_part(targets[0], record)
        seeds = tuple(
            self._cotangent(run, target, value, raw_id)
            for target, value, raw_id in zip(targets, record[VALUES], record[ATTRS], strict=True)
        )
        self._sources[run] = sources
        site = self._site(record)
        self._events.append(types.BackwardStarted(run, tape, targets, sources, seeds, site, rows, create_graph))

    def _call_by_part(self, target: int, record: list[Any]) -> None:
        """Name a target after the part that it is of what its line made: `out.loss` where a model gave `out`."""
        whole = self._tensors.rows[target].name
        part = self._places.part(record[CODE], record[LASTI], whole) if whole else None
        if part is not None:
            self._tensors.rename(target, part)

    def _cotangent(self, run: int, tensor: int, value: Any, raw_id: int | None) -> int:
        """The id of a contribution that arrives at `tensor`; `value` True: there, but not kept."""
        dense = self._recorded(raw_id, value)
        if dense is None:
            row = self._tensors.rows[tensor]
            kept = (row.shape, row.dtype) if value is True and row.dtype != "unknown" else value
            dense = self._tensors.add(raw_id, "cotangent", None if kept is True else kept, None, len(self._events))
        self._parts.setdefault((run, tensor), []).append(dense)
        self._totals.setdefault((run, tensor), dense)
        return dense

    def _recorded(self, raw_id: int | None, value: Any) -> int | None:
        """The id of a cotangent that is the result of a recorded op, whose value may be known only now."""
        if raw_id is None or not self._tensors.knows(raw_id):
            return None
        dense = self._tensors.id(raw_id)
        if value is not True:
            self._now_known(dense, value)
        return dense

    def _vjp(self, record: list[Any]) -> None:
        producer = self._producer(record[OUTPUTS])
        if producer is not None:
            self._applied(self._run(record[INPUTS]), producer, record[VALUES], record[ATTRS] or ())

    def _witnessed(self, record: list[Any]) -> None:
        """Its values: what came in, what the rule gave, what the framework has for it, and has nearby."""
        producer = self._producer(record[OUTPUTS])
        if producer is not None:
            upstream, rule, witness, nearby = (tuple(map(self._apart, each)) for each in record[VALUES])
            about = types.VjpWitnessed(producer, upstream, rule, witness, nearby, *record[ATTRS])
            self._events.append(about)

    def _apart(self, value: Any) -> int | None:
        """The id of a gradient that is in no pass."""
        return None if value is None else self._tensors.add(None, "cotangent", value, None, len(self._events))

    def _pulled_back(self, record: list[Any]) -> None:
        run, steps = self._run(record[INPUTS]), record[VALUES]
        for of, index, value in zip(steps[::3], steps[1::3], steps[2::3], strict=True):
            if index is None:
                self._summed(run, self._tensors.id(of), value)
                continue
            producer = self._producer(of)
            if producer is None:
                continue
            if type(index) is tuple:
                self._applied(run, producer, index)
                continue
            value, recorded = (True, value) if type(value) is int else (value, None)
            slots = [slot == index for slot in range(len(self._op_at(producer).inputs))]
            raw_ids = [recorded if at else None for at in slots]
            self._applied(run, producer, [value if at else None for at in slots], raw_ids)

    def _producer(self, outputs: Any) -> int | None:
        """The op that made a tensor, or several; None where a log that begins late has let go of it."""
        return self._tables.producers.get(self._tensors.id(outputs[0] if type(outputs) is tuple else outputs))

    def _op_at(self, producer: int) -> types.OpRecorded | types.OpSkipped:
        op = self._events[producer]
        assert isinstance(op, (types.OpRecorded, types.OpSkipped))
        return op

    def _applied(self, run: int, producer: int, values: Sequence[Any], raw_ids: Sequence[int | None] = ()) -> None:
        op = self._op_at(producer)
        upstream = tuple(self._totals.get((run, output)) for output in op.outputs)
        cotangents = tuple(
            None if value is None else self._cotangent(run, tensor, value, raw_id)
            for tensor, value, raw_id in zip(op.inputs, values, raw_ids or (None,) * len(op.inputs), strict=True)
        )
        self._events.append(types.VjpApplied(run, producer, upstream, cotangents))

    def _accumulated(self, record: list[Any]) -> None:
        """The run may come with the number of contributions up to here, where several are added up at once."""
        raw_run, count = record[INPUTS] if type(record[INPUTS]) is tuple else (record[INPUTS], None)
        self._summed(self._run(raw_run), self._tensors.id(record[OUTPUTS]), record[VALUES], record[ATTRS], count)

    def _summed(self, run: int, tensor: int, value: Any, raw_id: int | None = None, count: int | None = None) -> None:
        if (run, tensor) not in self._totals:  # its parts came from ops that the log has let go of
            self._cotangent(run, tensor, value, raw_id)
            return
        summed = self._sums[run, tensor] + 1
        self._sums[run, tensor] = summed if count is None else count - 1
        parts = self._totals[run, tensor], *self._parts[run, tensor][summed : self._sums[run, tensor] + 1]
        total = self._total(tensor, value, raw_id)
        self._totals[run, tensor] = total
        self._events.append(types.CotangentAccumulated(run, tensor, parts, total))

    def _arrived(self, record: list[Any]) -> None:
        total = self._totals.get((self._run(record[INPUTS]), self._tensors.id(record[OUTPUTS])))
        if total is not None:
            self._tensors.bind(record[ATTRS], total)

    def _total(self, tensor: int, value: Any, raw_id: int | None) -> int:
        recorded = self._recorded(raw_id, value)
        if recorded is not None:
            return recorded
        row = self._tensors.rows[tensor]
        kept = (row.shape, row.dtype) if value is True else value
        return self._tensors.add(raw_id, "cotangent", kept, None, len(self._events))

    def _backward_finished(self, record: list[Any]) -> None:
        """Its attributes are True where the program has zeros for what did not arrive."""
        run = self._run(record[INPUTS])
        gradients = tuple(
            None if raw_id is None else self._gradient(run, source, raw_id, value)
            for source, raw_id, value in zip(self._sources[run], record[OUTPUTS], record[VALUES], strict=True)
        )
        self._events.append(types.BackwardFinished(run, gradients, record[ATTRS] is True))

    def _gradient(self, run: int, source: int, raw_id: int, value: Any) -> int:
        """The sum that reached the source; the zeros of an unconnected source are a tensor of their own."""
        total = self._totals.get((run, source))
        if total is None:
            total = self._total(source, value, raw_id)
        self._tensors.bind(raw_id, total)
        return total

    # ----- gradients that stay in a tensor, and optimizers -----

    def _stored(self, record: list[Any]) -> None:
        (raw_run, raw_id, apart), accumulated = record[INPUTS], record[ATTRS]
        run, tensor = self._run(raw_run), self._tensors.id(record[OUTPUTS])
        total = self._tensors.dense(raw_id)  # known already where an op has made it
        if total is None and not (apart or accumulated):
            total = self._totals.get((run, tensor))
        if total is None:
            total = self._tensors.add(raw_id, "cotangent", record[VALUES], None, len(self._events))
        self._tensors.bind(raw_id, total)
        self._events.append(types.GradientStored(run, tensor, total, accumulated))

    def _cleared(self, record: list[Any]) -> None:
        tensor, scope = self._tensors.id(record[OUTPUTS]), self._scope(record)
        self._events.append(types.GradientCleared(tensor, record[ATTRS], self._site(record), scope))

    def _gradient_read(self, record: list[Any]) -> None:
        tensor, scope = self._tensors.id(record[OUTPUTS]), self._scope(record)
        found = None if record[INPUTS] is None else self._tensors.id(record[INPUTS])
        self._events.append(types.GradientRead(tensor, found, self._site(record), scope))

    def _optimizer_created(self, record: list[Any]) -> None:
        raw_id, name = record[ATTRS]
        parameters = self._ids(record[INPUTS])
        self._events.append(types.OptimizerCreated(self._optimizer(raw_id), name, parameters, self._site(record)))

    def _optimizer_stepped(self, record: list[Any]) -> None:
        optimizer, parameters = self._optimizer(record[ATTRS]), self._ids(record[INPUTS])
        self._events.append(types.OptimizerStepped(optimizer, parameters, self._site(record)))

    def _updated(self, record: list[Any]) -> None:
        """Its input is the gradient, if that is a tensor of the log; its values are else that, and what was kept."""
        raw_id, names, options = record[ATTRS]
        gradient, *state = map(self._apart, record[VALUES])
        if record[INPUTS] is not None:
            gradient = self._tensors.id(record[INPUTS])
        about = self._optimizer(raw_id), self._tensors.id(record[OUTPUTS]), gradient, names, tuple(state), options
        self._events.append(types.ParameterUpdated(*about, self._site(record)))

    def _measured(self, record: list[Any]) -> None:
        tensors = tuple([None if each is None else self._tensors.dense(each) for each in record[INPUTS]])
        norms = self._tensors.add(None, "cotangent", record[VALUES], None, len(self._events))
        self._events.append(types.BuffersMeasured(record[ATTRS], tensors, norms))

    def _optimizer(self, raw_id: int) -> int:
        return self._optimizers.setdefault(raw_id, len(self._optimizers))
