"""A TensorFlow program that runs -> the event log: every op, tape, variable and gradient of the current thread.

- a recording  `recording`, begun and ended; `session`, what all parts share; `keras`, what Keras has of them, and the
               scopes of its layers
- a call       `ops` sees it; `names` has the catalog's name and attributes, from `table`; `constants`, what is made
               without an op
- tensors      `ledger`, their ids; `tensor_ids`, a set of very many, and what is known of the latest; `values`, what a
               log holds
- threads      `strategies`, whose replicas take turns; `elsewhere`, what others compute, and the recorded one meets
- variables    `variables`, made or read in Python; `reads`, read by an op; `optimizers`, the steps of Keras'
- tapes        `tapes`, opened, watching, following; `backward/`, the gradients they take
- functions    `compiled/`, as they stay compiled; `functions`, run op by op; `traces`, what would have gone otherwise
               compiled; `datasets`, what those of datasets read
- leaving      `readouts`, by Python and NumPy, `buffers`, by NumPy in C, `callbacks`, by functions of Python's that
               are ops; `exceptions`, and their tracebacks
- to check     `pull_back`, of a function that is run and differentiated; `own_kernels`, for what is computed again
"""

from __future__ import annotations

from tapeviz.events.own_kernels import give_kernels
from tapeviz.recorders.base import Recorder, RecordOptions


def recorder(options: RecordOptions) -> Recorder:
    """What `record` starts when the program has imported TensorFlow."""
    from tapeviz.recorders.tensorflow.own_kernels import KERNELS
    from tapeviz.recorders.tensorflow.recording import TensorFlowRecorder

    give_kernels("keras", KERNELS)
    return TensorFlowRecorder(options)
