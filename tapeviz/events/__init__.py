"""The waist of the house: what happened while a program was recorded, as plain data.

Writers (the engine, the recorders) append raw records to an `EventLog`; readers
(graph, replay, diagnosis, views) see typed events, a table of tensors and their values.
"""

from __future__ import annotations

from tapeviz.events.log import EventLog, Showable, log_of
from tapeviz.events.types import (
    BackwardFinished,
    BackwardStarted,
    CotangentAccumulated,
    ErrorRaised,
    Event,
    FunctionReused,
    GradientCleared,
    GradientRead,
    GradientStored,
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
    "FunctionReused",
    "GradientCleared",
    "GradientRead",
    "GradientStored",
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
