"""The waist of the house: what happened while a program was recorded, as plain data.

Writers (the engine, the recorders) append raw records to an `EventLog`; readers
(graph, replay, diagnosis, views) see typed events, a table of tensors and their values.

- the log      `log`, both its sides; `types`, its vocabulary; `defaults`, what it keeps unless told otherwise
- written      `raw`, what a record is; `records`, those of one log: values within a `budget`, the older ones `settled`,
               by `packing`; `ring`, the last of what no recording asked for; `steps`, the last steps of a loop,
               and `remains`, what stays of those before
- read         `fold`, records -> events, by `program_reader`, `backward_reader` and `tape_reader`, which share
               `reader`; the `tables` beside the events; `values` and their `summary`
- in part      `window`, one tape; `prelude`, what came before; `outcome`, what backward passes gave
- the program  `frames` and `sites`, the user's line; `autograph`, Python that TensorFlow rewrites, and `built_in`, what
               it keeps of it; `raised`, the user's exceptions; `alone`, tracebacks and warnings as without us; `apart`,
               variables that share a name
- known facts  `catalog` and `foreign`, of ops, a `row` each; `customs`, of frameworks
- a file       `store`: `journal` for events, `shelf` for values, `codec` for rows, `archive` for all of it
- for all      `doors`, what users may pass; `uncollected`, work without the garbage collector
"""

from __future__ import annotations

from tapeviz.events.log import EventLog, Showable, log_of
from tapeviz.events.types import (
    BackwardFinished,
    BackwardStarted,
    CotangentAccumulated,
    ErrorRaised,
    Event,
    FunctionOpened,
    FunctionReused,
    GradientCleared,
    GradientRead,
    GradientStored,
    GradientUnseen,
    LeafCreated,
    OpRecorded,
    OpSkipped,
    OptimizerCreated,
    OptimizerStepped,
    Pruned,
    ReadOut,
    RecordingPaused,
    RecordingResumed,
    Scope,
    Site,
    StateWritten,
    TapeClosed,
    TapeOpened,
    TapeReset,
    TensorInfo,
    Unwatched,
    VjpApplied,
    Watched,
)

__all__ = [
    "BackwardFinished",
    "BackwardStarted",
    "CotangentAccumulated",
    "ErrorRaised",
    "Event",
    "EventLog",
    "FunctionOpened",
    "FunctionReused",
    "GradientCleared",
    "GradientRead",
    "GradientStored",
    "GradientUnseen",
    "LeafCreated",
    "OpRecorded",
    "OpSkipped",
    "OptimizerCreated",
    "OptimizerStepped",
    "Pruned",
    "ReadOut",
    "RecordingPaused",
    "RecordingResumed",
    "Scope",
    "Showable",
    "Site",
    "StateWritten",
    "TapeClosed",
    "TapeOpened",
    "TapeReset",
    "TensorInfo",
    "Unwatched",
    "VjpApplied",
    "Watched",
    "log_of",
]
