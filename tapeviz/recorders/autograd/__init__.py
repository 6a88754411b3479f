"""Writer: a program of HIPS autograd -> the events of its traces and backward passes, primitive by primitive.

- a recording  `recording`, begun and ended; `session`, the user's place in it
- a function   `traces`, each function that is differentiated: its arguments, its result, whether one leads to the other
- a primitive  `ops` writes it, when its node is made; `names` has the catalog's name and attributes, from `table`
- the way back `nodes`, what a node carries for it; `sweeps`, the passes that run, and `sweep`, one of them
- arrays       `ledger`, their ids; `trees`, those of lists, tuples and dictionaries; `values`, what a log holds
- leaving      `readouts`, by what autograd gives no derivative, and by its boxes' own values
"""

from __future__ import annotations

from tapeviz.recorders.base import Recorder, RecordOptions


def recorder(options: RecordOptions) -> Recorder:
    """What `record` starts when the program has imported autograd."""
    from tapeviz.recorders.autograd.recording import AutogradRecorder

    return AutogradRecorder()
