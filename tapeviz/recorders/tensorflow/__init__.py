"""A TensorFlow program that runs -> the event log: every op, tape, variable and gradient of the current thread.

- a recording  `session`, what all parts share
- a call       `ops` sees it; `names` has the catalog's name and attributes, from `table`; `constants`, what is made
               without an op; `layers`, the scopes of Keras' layers
- tensors      `ledger`, their ids; `known`, a set of many; `recent`, what is told of the latest; `values`, what a log
               holds; `callers`, their names
- variables    `variables`, made or read in Python; `reads`, read by an op
- tapes        `tapes`, opened, watching, following; `backward/`, the gradients they take
- functions    `functions`, run op by op; `traces`, what would have gone otherwise compiled; `datasets`, what those of
               datasets read
- leaving      `readouts`, by Python and NumPy, `buffers`, by NumPy in C, `callbacks`, by functions of Python's that
               are ops; `mistakes`, exceptions; `tracebacks`, theirs
"""

from __future__ import annotations

from tensorflow.python.framework import op_callbacks

from tapeviz.events.log import EventLog
from tapeviz.events.program.frames import users_frame
from tapeviz.recorders.base import Recorder, RecordOptions
from tapeviz.recorders.patches import Patches
from tapeviz.recorders.tensorflow import callbacks, constants, layers, mistakes, tracebacks, variables
from tapeviz.recorders.tensorflow.backward.logged_ops import LoggedOps
from tapeviz.recorders.tensorflow.backward.sweeps import Sweeps
from tapeviz.recorders.tensorflow.datasets import Datasets
from tapeviz.recorders.tensorflow.functions import OpenedFunctions
from tapeviz.recorders.tensorflow.ledger import Ledger
from tapeviz.recorders.tensorflow.ops import Ops
from tapeviz.recorders.tensorflow.readouts import ReadOuts
from tapeviz.recorders.tensorflow.reads import Reads
from tapeviz.recorders.tensorflow.session import Session
from tapeviz.recorders.tensorflow.tapes import Tapes
from tapeviz.recorders.tensorflow.traces import Traces


def recorder(options: RecordOptions) -> Recorder:
    """What `record` starts when the program has imported TensorFlow."""
    return TensorFlowRecorder(options)


class TensorFlowRecorder:
    """Hooks in TensorFlow for the time of one recording."""

    def __init__(self, options: RecordOptions) -> None:
        self._options = options
        self._patches = Patches()

    def start(self, log: EventLog) -> None:
        """From here on everything TensorFlow does in this thread goes into the log."""
        patches, session = self._patches, Session(log)
        ledger, traces = Ledger(session, users_frame(1)), Traces(session)
        tapes = Tapes(session, ledger, LoggedOps())
        reads, datasets = Reads(tapes), Datasets(tapes, traces)
        ops = Ops(session, tapes, reads, datasets)
        log.resolvers += (ledger.resolve,)
        tracebacks.install(patches)
        for part in (tapes, Sweeps(ops), reads, datasets, ReadOuts(ops)):
            part.install(patches)
        constants.install(patches, session, ledger)
        layers.install(patches, session)
        mistakes.install(patches, session)
        callbacks.install(patches, session, ledger)
        variables.install(patches, ops, traces)
        if self._options.functions == "eager":
            OpenedFunctions(session, traces).install(patches)
        op_callbacks.add_op_callback(ops)
        patches.finally_(ledger.close)
        patches.finally_(lambda: op_callbacks.remove_op_callback(ops))

    def stop(self) -> None:
        """Take every hook away."""
        self._patches.undo()
