"""The event log: what happened while a program was recorded, as plain data.

Writers (the engine, the recorders) append raw records to an `EventLog`; readers (graph, replay, diagnosis, views) see
typed events, a table of tensors and their values.

- the log      `log`, with a side for writers and one for readers; `raw`, the record that writers append; `types`, the
               events and rows that readers see, those of `compiled_graphs`, of optimizers' `updates` and of `buffers`,
               with `ids` and `attrs`; `values` and their `summary`, `summaries` of many; `defaults`, what a log keeps
- `memory/`    the records of one log, within a budget of bytes and, for a loop, of steps
- `readers/`   raw records -> typed events and the tables beside them
- `program/`   the user's source and stack: the line of an op, its calls, the variable name, exceptions
- `store/`     a log <-> one file: `save` and `load`
- parts of one `window`, one tape of a log; `prelude`, what led to a log from before it; `outcome`, the gradients alone,
               and `alike`, of a log that is like the last; `body_ops`, what a function with a gradient of its own ran
- names        `lookup`, the tensor of a name that is asked for; `namesakes`, longer names for variables that share one
- known facts  `catalog`, of ops, a `row` each in `ops/`; `framework_facts`; `refusals`, what errors of frameworks say;
               `own_kernels`, of a framework that is recorded
- speed        `collector_paused`, work with the garbage collector paused; `figures`, statistics of many values at once;
               `norms`, of a pass's gradients
- leaving      `undo`, what is changed back when a recording ends
"""

from __future__ import annotations

from tapeviz.events.log import EventLog, Showable, log_of
from tapeviz.events.types import (
    BackwardFinished,
    BackwardStarted,
    BuffersMeasured,
    CompiledWithout,
    CotangentAccumulated,
    ErrorRaised,
    Event,
    FunctionOpened,
    FunctionReused,
    GradientCleared,
    GradientRead,
    GradientStored,
    GradientUnseen,
    GraphTraced,
    LeafCreated,
    NodeTraced,
    OpRecorded,
    OpSkipped,
    OptimizerCreated,
    OptimizerStepped,
    ParameterUpdated,
    Pruned,
    ReadOut,
    RecordingPaused,
    RecordingResumed,
    SavedChanged,
    Scope,
    Site,
    StateWritten,
    TapeClosed,
    TapeOpened,
    TapeReset,
    TensorInfo,
    Unwatched,
    VjpApplied,
    VjpWitnessed,
    Watched,
)

__all__ = [
    "BackwardFinished",
    "BackwardStarted",
    "BuffersMeasured",
    "CompiledWithout",
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
    "GraphTraced",
    "LeafCreated",
    "NodeTraced",
    "OpRecorded",
    "OpSkipped",
    "OptimizerCreated",
    "OptimizerStepped",
    "ParameterUpdated",
    "Pruned",
    "ReadOut",
    "RecordingPaused",
    "RecordingResumed",
    "SavedChanged",
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
    "VjpWitnessed",
    "Watched",
    "log_of",
]
