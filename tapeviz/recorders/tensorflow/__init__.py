"""A TensorFlow program that runs -> the event log: every op, tape, variable and gradient of the current thread.

- a call       `ops` sees it; `names` has the catalog's name and attributes, from `table`, `plain` what these hold;
               `constants`, what is made without an op; `layers`, the scopes of Keras' layers
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

import warnings
from threading import get_ident

from tensorflow.python.eager import context
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
        self._thread = get_ident()

    def start(self, log: EventLog) -> None:
        """From here on everything TensorFlow does in this thread goes into the log."""
        ledger = Ledger(log, users_frame(1))
        tapes = Tapes(ledger, LoggedOps(), self._here)
        traces = Traces(ledger)
        reads, datasets = Reads(tapes), Datasets(tapes, traces)
        ops = Ops(ledger, tapes, reads, datasets, self._missed)
        sweeps = Sweeps(ops, self._here, self._in_thread, self._missed)
        log.resolvers += (ledger.resolve,)
        tracebacks.install(self._patches)
        tapes.install(self._patches)
        sweeps.install(self._patches)
        reads.install(self._patches)
        datasets.install(self._patches, self._here)
        ReadOuts(ops, self._here, self._missed).install(self._patches)
        for part in (constants, layers, mistakes, callbacks):
            part.install(self._patches, ledger, self._here)
        variables.install(self._patches, ops, traces, self._here)
        if self._options.functions == "eager":
            OpenedFunctions(ledger, traces, self._here).install(self._patches)
        op_callbacks.add_op_callback(ops)
        self._patches.finally_(ledger.close)
        self._patches.finally_(lambda: op_callbacks.remove_op_callback(ops))

    def stop(self) -> None:
        """Take every hook away."""
        self._patches.undo()

    def _here(self) -> bool:
        """Whether what is going on is the recorded thread's, and runs rather than builds a graph."""
        return get_ident() == self._thread and bool(context.context().executing_eagerly())

    def _in_thread(self) -> bool:
        return get_ident() == self._thread

    @staticmethod
    def _missed(what: str, error: Exception) -> None:
        warnings.warn(f"tapeviz could not record {what}: {type(error).__name__}: {error}", RuntimeWarning, stacklevel=2)
