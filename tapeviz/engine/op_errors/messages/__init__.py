"""An op that failed in NumPy -> TensorFlow's message about it, from a function of the op's values and attributes.

A module has the mistakes of one kind, with a table of the ops that can meet them. Nothing here runs unless an op has
failed. If no function knows the reason, NumPy's message is used. Public functions of the modules are for code that
finds a mistake by itself.

- operands     `axes`, `indices`, `matrices`, `shapes`
"""

from __future__ import annotations

from typing import Any

from tapeviz.engine.op_errors.messages import axes, indices, matrices, shapes
from tapeviz.engine.op_errors.messages.base import MessageFunction, Values
from tapeviz.events import catalog

MESSAGES: dict[str, MessageFunction] = {**axes.MESSAGES, **shapes.MESSAGES, **indices.MESSAGES, **matrices.MESSAGES}


def eager_message(op: str, values: Values, attributes: dict[str, Any]) -> str | None:
    """TensorFlow's message about an op that failed on these values, or None if the reason is not known."""
    if op in MESSAGES:
        return MESSAGES[op](values, **attributes)
    row = catalog.ROWS.get(op)
    return shapes.elementwise(values) if row is not None and row.broadcasts and len(values) == 2 else None
