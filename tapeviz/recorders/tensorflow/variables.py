"""A variable is made, or about to be read -> the log knows it, and tapes that watch what is read follow it."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops import resource_variable_ops

from tapeviz.recorders.patches import Row
from tapeviz.recorders.tensorflow.ledger import raw_id
from tapeviz.recorders.tensorflow.ops import Ops
from tapeviz.recorders.tensorflow.traces import Traces
from tapeviz.recorders.tensorflow.values import is_eager


def rows(ops: Ops, traces: Traces) -> tuple[Row, ...]:
    """Every variable, whoever makes it and in whatever way it is read in Python."""
    ledger, running = ops.ledger, ops.session.running

    def created(variable: Any, *args: Any, **more: Any) -> None:
        handle: Any = getattr(variable, "_handle", None)
        # A second object for a variable that is known, as `assign` returns one, is nothing new.
        if is_eager(handle) and raw_id(handle) not in ledger.known:
            ledger.created(variable, ops.initial.pop(raw_id(handle), None))
            traces.created(variable)

    return (
        running.after(resource_variable_ops.BaseResourceVariable, "__init__", created),
        running.after(resource_variable_ops, "variable_accessed", ops.tapes.access),
    )
