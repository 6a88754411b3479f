"""Arrays and numbers of a program -> what a log holds of them: copies, since a program may write into its arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.events.log import EventLog
from tapeviz.recorders.autograd.trees import dense


def kept(log: EventLog, value: Any) -> Any:
    """What a record holds of a value: a copy within the budget, or only its shape and dtype; None of no numbers."""
    plain = dense(value)
    if isinstance(plain, np.generic):
        return plain if log.keeps_values else log.keep(plain)
    array = _array(plain)
    if array is None:
        return None
    if not log.keeps_values:
        return tuple(array.shape), array.dtype
    return array.copy()[()] if not array.shape else log.keep(array.copy())


def kept_gradient(log: EventLog, value: Any) -> Any:
    """The same of a gradient: None where there is none, True where its numbers are not to be had."""
    if value is None:
        return None
    found = kept(log, value)
    return True if found is None else found


def literal(value: Any) -> Any:
    """A single number as an entry of a record; None of anything else.

    >>> literal(2.0), literal([1.0])
    (np.float64(2.0), None)
    """
    if not isinstance(value, (bool, int, float, complex, np.generic)):
        return None
    scalar = np.asarray(value)[()]
    return scalar if scalar.dtype.kind in "biufc" else None


def is_array(value: Any) -> bool:
    """Whether a value holds numbers, as an operand does."""
    return isinstance(value, np.ndarray) and value.dtype.kind in "biufc"


def _array(value: Any) -> Any:
    """A value as an array of numbers; None if it is none."""
    try:
        array = np.asarray(value)
    except Exception:  # an object of the program's own, whose code may raise anything
        return None
    return array if array.dtype.kind in "biufc" else None
