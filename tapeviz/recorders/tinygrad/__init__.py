"""Writer: a program of tinygrad -> the events of the graph that it builds and of its gradients, op by op.

tinygrad computes late: what a program builds is a graph of `UOp`s, and kernels are made of it when numbers are asked
for. The recorder sees ops as they are built. The numbers in the log are NumPy's, of the same graph: nothing of the
program is run, or run earlier, for a recording.

- a recording  `recording`, begun and ended; `session`, its one tape, and the user's place
- an op        `ops` sees it being built; `names` has the catalog's name, from `table`; `leaves`, what no op made;
               `below`, the nodes that lead to one
- tensors      `ledger`, their ids; `names_held`, what the program calls them
- numbers      `numbers`, a graph computed by NumPy; `arithmetic`, what each kind of op does; `values`, what a log holds
- the way back `sweeps`, the gradients that are taken, and `sweep`, one of them; `grad_attribute`, what is in `.grad`
- leaving      `readouts`, by Python, NumPy and `realize`; `writes`, into a tensor, and by optimizers
"""

from __future__ import annotations

from tapeviz.recorders.base import Recorder, RecordOptions


def recorder(options: RecordOptions) -> Recorder:
    """What `record` starts when the program has imported tinygrad."""
    from tapeviz.recorders.tinygrad.recording import TinygradRecorder

    return TinygradRecorder()
