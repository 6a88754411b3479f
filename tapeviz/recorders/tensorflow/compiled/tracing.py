"""TensorFlow traces a function -> the records of its ops, layers, tapes and gradients, with symbols for tensors.

The parts of the recorder are those that see what runs; here they see the graph that is built. They are in place while
the function is traced, and nothing is asked of it that TensorFlow itself would not ask.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tensorflow.python.autograph.impl import api as autograph
from tensorflow.python.eager import execute
from tensorflow.python.framework import op_callbacks, ops
from tensorflow.python.ops import resource_variable_ops

from tapeviz.events.log import EventLog
from tapeviz.events.program.frames import open_scopes
from tapeviz.events.raw import KIND, STRIDE
from tapeviz.recorders.patches import Patches, Row
from tapeviz.recorders.plain_values import plain
from tapeviz.recorders.scopes import Scoped
from tapeviz.recorders.tensorflow import keras
from tapeviz.recorders.tensorflow.backward.logged_ops import LoggedOp, LoggedOps
from tapeviz.recorders.tensorflow.backward.sweeps import Sweeps
from tapeviz.recorders.tensorflow.compiled.generated import GeneratedLines
from tapeviz.recorders.tensorflow.compiled.template import AfterWrite, InnerCall, Template, outside
from tapeviz.recorders.tensorflow.datasets import Datasets
from tapeviz.recorders.tensorflow.ledger import Ledger, raw_id
from tapeviz.recorders.tensorflow.names import Form
from tapeviz.recorders.tensorflow.ops import Ops
from tapeviz.recorders.tensorflow.reads import Reads
from tapeviz.recorders.tensorflow.session import Session
from tapeviz.recorders.tensorflow.tapes import Tapes
from tapeviz.recorders.tensorflow.traces import Traces
from tapeviz.recorders.tensorflow.values import FOLLOWED, enum_of, number_in

CALLS = frozenset(("PartitionedCall", "StatefulPartitionedCall"))
"""Ops that call a function."""


class TraceLog(EventLog):
    """The log of a trace, which holds symbols: nothing that counts against a budget."""

    def keep(self, value: Any, /) -> Any:
        """The value itself."""
        return value


class TraceSession(Session):
    """What is recorded is the trace of one graph, in the thread of a recording."""

    def __init__(self, outer: Session, graph: Any) -> None:
        super().__init__(TraceLog(framework="tensorflow"))
        self.log.sign("tensorflow")
        self._outer = outer
        self.graph = graph

    @property
    def is_here(self) -> bool:
        """Whether the thread is the recorded one."""
        return self._outer.is_here

    @property
    def is_running(self) -> bool:
        """Whether ops are added to the graph itself, rather than run, or added to that of a branch or loop in it."""
        return self.is_here and ops.get_default_graph() is self.graph


class TracedOps(Ops):
    """The callback that TensorFlow calls for every op that it adds to a graph."""

    def __init__(self, session: TraceSession, tapes: Tapes) -> None:
        super().__init__(session, tapes, Reads(tapes), Datasets(tapes, Traces(session)))
        self.callees: dict[str, Template] = {}
        """The templates of the functions that the graph calls, by their names."""
        self._added: dict[tuple[int, ...], LoggedOp] = {}
        self._op: Any = None

    def rows(self) -> list[Row]:
        """What TensorFlow's tape is told of, by the tuple of attributes that its gradient function will get."""
        return [self.session.running.before(execute, "record_gradient", self._recorded)]

    def __call__(
        self, op_type: Any, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None
    ) -> Any:
        """An op is in the graph."""
        if graph is self.session.graph and graph is not None:
            if op_type == "Placeholder":
                self.ledger.known.update(map(raw_id, outputs))
            elif op_type != "Const":
                self._op = outputs[0].op if outputs else graph.get_operation_by_name(op_name)
                self._noted(op_type, self._outside(inputs), attrs, outputs)
        return outputs

    def _outside(self, tensors: Any) -> tuple[Any, ...]:
        """Tensors, those from outside of the graph as they are there."""
        return outside(self.session.graph, tensors)

    def attributes(self, form: Form, inputs: Any, attrs: Any) -> tuple[tuple[str, Any], ...]:
        """As of an op that runs, as far as they are constants."""
        pairs = [(key, number_in(inputs[index])) for index, key in form.attributes]
        known = [(key, plain(value)) for key, value in pairs if value is not None]
        return (*known, *[(ours, _plain_attr(self._op.get_attr(theirs))) for theirs, ours in form.attrs])

    def write_op(self, form: Form, inputs: Any, outputs: Any, attrs: Any, frame: Any, saved: Any = None) -> Any:
        """Append the record; of a call of a function whose template is known, that this is to be put in."""
        begin = self.log.end
        op = super().write_op(form, inputs, outputs, attrs, frame, saved)
        if op is not None:
            self._added[op.outputs] = op
        elif self._op is not None and self._op.type in CALLS:
            callee = self.callees.get(self._op.get_attr("f").name)
            if callee is not None:
                at = self.log.end - STRIDE
                assert at >= begin
                self.log.raw[at + KIND] = InnerCall
                self.log.raw[at + 4] = (self._op, callee)
        return op

    def _recorded(self, name: Any, inputs: Any, attrs: Any, outputs: Any) -> None:
        op = self._added.get(tuple(map(raw_id, outputs)))
        if op is not None:
            self.tapes.logged.add(attrs, op)

    def value_of(self, handle: Any, written: Any) -> Any:
        """What stands for the value of a variable after the op."""
        return AfterWrite(self._op.name, handle, enum_of(written))


def _plain_attr(value: Any) -> Any:
    return value.name if hasattr(value, "as_datatype_enum") else plain(value)


class Tracing:
    """One trace of a function, of a given name, into a graph."""

    def __init__(self, outer: Session, graph: Any, name: str, templates: Any) -> None:
        self._graph = graph
        self._name = name
        self.session = TraceSession(outer, graph)
        self._lines = GeneratedLines()
        self._templates = templates
        self._outer = outer

    @contextmanager
    def recording(self) -> Iterator[None]:
        """A block in which the function is traced."""
        session, patches = self.session, Patches()
        ledger = Ledger(session, sys._getframe())
        tapes = Tapes(session, ledger, LoggedOps())
        traced = TracedOps(session, tapes)
        traced.callees = self._templates
        FOLLOWED.add(self._graph)
        try:
            for rows in (
                tapes.rows(),
                Sweeps(traced).rows(),
                traced.rows(),
                keras.rows(session),
                [session.running.after(resource_variable_ops, "variable_accessed", tapes.access)],
                [session.here.instead(autograph, "_convert_actual", self._convert)],
            ):
                patches.install(rows)
            op_callbacks.add_op_callback(traced)
            try:
                self._begin()
                yield
            finally:
                op_callbacks.remove_op_callback(traced)
        finally:
            patches.undo()
            FOLLOWED.discard(self._graph)
            ledger.close()

    def _begin(self) -> None:
        pass

    def _convert(self, convert: Any, *args: Any) -> Any:
        converted = convert(*args)
        self._lines.add(converted.ag_source_map)
        return converted

    def run(self, trace: Any) -> Any:
        """What `trace()` gives; what it calls is in a scope of its own."""
        frame = self._outer.enter()
        with Scoped(self.session.log, self._name, frame, sys._getframe()):
            self._root = self.session.log.scope
            return trace()

    open_scopes(run.__code__)

    def template(self) -> Template:
        """What was recorded."""
        self.session.log.frame = None
        return Template.of(self._graph, self.session.log, self._root, self._name, self._lines)
