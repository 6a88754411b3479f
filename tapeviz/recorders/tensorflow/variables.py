"""A variable is made, or about to be read -> the log knows it, and tapes that watch what is read follow it."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops import resource_variable_ops

from tapeviz.recorders.patches import Patches
from tapeviz.recorders.tensorflow.ledger import raw_id
from tapeviz.recorders.tensorflow.ops import Ops
from tapeviz.recorders.tensorflow.traces import Traces
from tapeviz.recorders.tensorflow.values import is_eager


def install(patches: Patches, ops: Ops, traces: Traces) -> None:
    """See every variable, whoever makes it and in whatever way it is read in Python."""
    session, ledger = ops.session, ops.ledger

    def creating(make: Any) -> Any:
        def __init__(variable: Any, *args: Any, **more: Any) -> None:
            make(variable, *args, **more)
            handle: Any = getattr(variable, "_handle", None)
            # A second object for a variable that is known, as `assign` returns one, is nothing new.
            if is_eager(handle) and raw_id(handle) not in ledger.known and session.is_running:
                ledger.created(variable, ops.initial.pop(raw_id(handle), None))
                traces.created(variable)

        return __init__

    def accessing(note: Any) -> Any:
        def variable_accessed(variable: Any) -> None:
            note(variable)
            if session.is_running:
                ops.tapes.access(variable)

        return variable_accessed

    patches.wrap(resource_variable_ops.BaseResourceVariable, "__init__", creating)
    patches.wrap(resource_variable_ops, "variable_accessed", accessing)
