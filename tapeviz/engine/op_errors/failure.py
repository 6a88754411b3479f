"""An op whose primal raised an error -> the error, of TensorFlow's class, with the reason and what was given."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.op_errors.dtypes import dtype_and_shape, wrong_dtype
from tapeviz.engine.op_errors.memory import exhausted
from tapeviz.engine.op_errors.reasons import reason
from tapeviz.errors import InvalidArgumentError, Unforeseen

_NO_LOOP = ("ufunc", "unsupported operand", "bad operand")
"""What is in the text of a TypeError of NumPy's or Python's if it is about a dtype."""


def failed(op: str, error: Exception, values: Any, attributes: dict[str, Any] | None = None) -> Exception:
    """The error for an op whose primal raised `error`: the reason, or NumPy's message, and the dtypes and shapes."""
    if isinstance(error, MemoryError):
        return exhausted(error)
    given = ", ".join(dtype_and_shape(each) for each in values)
    if isinstance(error, TypeError) and any(each in str(error) for each in _NO_LOOP):
        return wrong_dtype(op, values[0].dtype, given)
    known = reason(op, values, attributes or {})
    by_values = isinstance(error, np.linalg.LinAlgError) if known is None else isinstance(known, Unforeseen)
    kind = TypeError if isinstance(error, TypeError) else ValueError
    return InvalidArgumentError(f"{known or error}. In {op} of {given}.", at_run=by_values, in_graph=kind)
