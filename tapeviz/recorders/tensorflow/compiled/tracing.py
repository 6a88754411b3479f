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
from tensorflow.python.framework import op_callbacks
from tensorflow.python.ops import custom_gradient, resource_variable_ops

from tapeviz.events.program.exceptions import note_error
from tapeviz.events.program.frames import open_scopes
from tapeviz.events.raw import ScopeNode
from tapeviz.recorders.hooks import When
from tapeviz.recorders.patches import Patches
from tapeviz.recorders.scopes import Scoped
from tapeviz.recorders.tensorflow import keras
from tapeviz.recorders.tensorflow.backward.logged_ops import LoggedOps
from tapeviz.recorders.tensorflow.backward.sweeps import Sweeps
from tapeviz.recorders.tensorflow.compiled.backward import BackwardGraphs
from tapeviz.recorders.tensorflow.compiled.earlier import branches_in
from tapeviz.recorders.tensorflow.compiled.generated import GeneratedLines
from tapeviz.recorders.tensorflow.compiled.steps import TracedSteps
from tapeviz.recorders.tensorflow.compiled.template import Template, TracedFacts
from tapeviz.recorders.tensorflow.compiled.traced_ops import TracedOps, TraceSession
from tapeviz.recorders.tensorflow.compiled.witnesses import TracedWitnesses
from tapeviz.recorders.tensorflow.ledger import Ledger
from tapeviz.recorders.tensorflow.session import Session
from tapeviz.recorders.tensorflow.tapes import Tapes


class Tracing:
    """One trace of a function, of a given name, into a graph."""

    def __init__(
        self,
        outer: Session,
        graph: Any,
        name: str,
        is_by_xla: bool,
        backwards: BackwardGraphs,
    ) -> None:
        self._graph = graph
        self._name = name
        self._is_by_xla = is_by_xla
        self.session = TraceSession(outer, graph)
        self._lines = GeneratedLines()
        self._backwards = backwards
        self._outer = outer
        self._root = ScopeNode(None, self.run.__code__, None, -1)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """A block in which the function is traced."""
        session, patches = self.session, Patches()
        ledger = Ledger(session, sys._getframe())
        tapes = Tapes(session, ledger, LoggedOps())
        traced = self._ops = TracedOps(session, tapes, self._backwards)
        witnesses = self._witnesses = TracedWitnesses(traced)
        steps = self._steps = TracedSteps(session, traced)
        sweeps = Sweeps(traced, witnesses)
        sweeps.pulled, traced.own_gradient = traced.pulled, witnesses.ran
        try:
            for rows in (
                tapes.rows(),
                sweeps.rows(),
                traced.rows(),
                keras.rows(session),
                steps.rows(),
                [When(lambda: session.is_within).after(resource_variable_ops, "variable_accessed", tapes.access)],
                [session.running.instead(custom_gradient, "_graph_mode_decorator", witnesses.call)],
                [session.here.instead(autograph, "_convert_actual", self._convert)],
            ):
                patches.install(rows)
            op_callbacks.add_op_callback(traced)
            try:
                yield
            finally:
                op_callbacks.remove_op_callback(traced)
        finally:
            patches.undo()
            ledger.close()

    def _convert(self, convert: Any, *args: Any) -> Any:
        converted = convert(*args)
        self._lines.add(converted.ag_source_map)
        return converted

    def run(self, trace: Any) -> Any:
        """What `trace()` gives; what it calls is in a scope of its own."""
        frame = self._outer.enter()
        with Scoped(self.session.log, self._name, frame, sys._getframe()):
            self._root = self.session.log.scope or self._root
            try:
                return trace()
            except Exception as error:
                note_error(self._outer.log, error, written=self._lines.place)
                raise

    open_scopes(run.__code__)

    def template(self) -> Template:
        """What was recorded."""
        traced, records = self._ops, self.session.log.take()
        self.session.log.frame = None
        for each in traced.followed:
            each.put_into(records)
        self._lines.put_into(records, self._root)
        facts = TracedFacts(
            traced.callees,
            traced.traced,
            traced.untracked,
            traced.apart,
            traced.skipped,
            self._witnesses.known,
            tuple(self._steps.optimizers.values()),
            self._is_by_xla,
            captured=tuple(traced.captured.values()),
            branches=branches_in(self._graph, traced, self._outer, self._backwards),
        )
        return Template(self._graph, self._name, records, self._root, facts)
