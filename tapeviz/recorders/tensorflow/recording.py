"""TensorFlow's part of a recording: the parts of the recorder, tied together, put in their places and taken away."""

from __future__ import annotations

from functools import partial

from tensorflow.python.eager import context
from tensorflow.python.framework import op_callbacks

from tapeviz.events.log import EventLog
from tapeviz.events.program.frames import users_frame
from tapeviz.recorders.base import RecordOptions
from tapeviz.recorders.patches import Patches
from tapeviz.recorders.tensorflow import callbacks, constants, exceptions, keras, variables
from tapeviz.recorders.tensorflow.backward.logged_ops import LoggedOps
from tapeviz.recorders.tensorflow.backward.sweeps import Sweeps
from tapeviz.recorders.tensorflow.compiled.calls import FunctionCalls
from tapeviz.recorders.tensorflow.datasets import Datasets
from tapeviz.recorders.tensorflow.functions import OpenedFunctions, own_lines
from tapeviz.recorders.tensorflow.ledger import Ledger
from tapeviz.recorders.tensorflow.ops import Ops
from tapeviz.recorders.tensorflow.optimizers import KerasSteps
from tapeviz.recorders.tensorflow.readouts import ReadOuts
from tapeviz.recorders.tensorflow.reads import Reads
from tapeviz.recorders.tensorflow.session import Session
from tapeviz.recorders.tensorflow.strategies import Strategies
from tapeviz.recorders.tensorflow.tapes import Tapes
from tapeviz.recorders.tensorflow.traces import Traces


class TensorFlowRecorder:
    """Writes what TensorFlow does in the current thread into a log."""

    def __init__(self, options: RecordOptions) -> None:
        self._options = options
        self._patches = Patches()

    def start(self, log: EventLog) -> None:
        """From here on everything goes into the log."""
        patches, session = self._patches, Session(log)
        ledger, traces = Ledger(session, users_frame(1)), Traces(session)
        tapes = Tapes(session, ledger, LoggedOps())
        reads, datasets = Reads(tapes), Datasets(tapes, traces)
        ops = Ops(session, tapes, reads, datasets)
        sweeps, steps = Sweeps(ops), KerasSteps(session, ops)
        log.resolvers += (ledger.resolve,)
        tables = [
            exceptions.shortened_tracebacks(),
            tapes.rows(),
            sweeps.rows(),
            reads.rows(),
            ledger.elsewhere.rows(session),
            datasets.rows(),
            ReadOuts(ops).rows(),
            constants.rows(session, ledger),
            keras.rows(session),
            exceptions.rows(session),
            callbacks.rows(session, ledger),
            variables.rows(ops, traces),
            Strategies(session, tapes).rows(),
            steps.rows(),
            own_lines(session),
        ]
        if self._options.functions != "eager":
            compiled = FunctionCalls(ops, traces, steps)
            sweeps.pulled = compiled.pulled
            tables.append(compiled.rows())
        else:
            tables.append(OpenedFunctions(session, traces).rows())
        for rows in tables:
            patches.install(rows)
        patches.finally_(ledger.close)
        patches.finally_(partial(_remove, ops))
        op_callbacks.add_op_callback(ops)

    def stop(self) -> None:
        """Take every hook away."""
        self._patches.undo()


def _remove(ops: Ops) -> None:
    if any(each is ops for each in context.context().op_callbacks):
        op_callbacks.remove_op_callback(ops)
