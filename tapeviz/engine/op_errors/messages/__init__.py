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

MESSAGES: dict[str, MessageFunction] = {**axes.MESSAGES, **shapes.MESSAGES, **indices.MESSAGES, **matrices.MESSAGES}


def eager_message(op: str, values: Values, attributes: dict[str, Any]) -> str | None:
    """TensorFlow's message about an op that failed on these values, or None if the reason is not known."""
    return MESSAGES[op](values, **attributes) if op in MESSAGES else None
