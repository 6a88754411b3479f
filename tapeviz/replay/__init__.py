"""EventLog -> Runs of Steps and Tracks: the backward pass again, one VJP at a time.

Step k of a run is its k-th VJP, counted from 1; step 0 is the moment after the seeds were set.

`backward` has the runs, whose steps say which gradient goes where; `states`, how the ops and tensors of a picture look
at each step. `update_rules` has what optimizers do from a gradient to a new weight, by the rules of each library in
`optimizers/`; `written`, which writes are one update, `joint_updates`, which are made together, and `update_steps` the
steps of one in a log.
"""

from __future__ import annotations

from tapeviz.replay.backward import ROWS_LOST, Contribution, Run, Step, forward, runs
from tapeviz.replay.states import State, Track, Tracks, joint_track, tensor_track, tracks

__all__ = [
    "ROWS_LOST",
    "Contribution",
    "Run",
    "State",
    "Step",
    "Track",
    "Tracks",
    "forward",
    "joint_track",
    "runs",
    "tensor_track",
    "tracks",
]
