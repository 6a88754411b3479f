"""Arrays -> their norms, and what is odd about them, at little cost for many small arrays of one shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeviz.events.summary import HUGE, TINY, Oddity, summary_of
from tapeviz.events.values import is_value, readable

STATES = ("", "None", "NaN", "inf", "zero", "not kept")
"""What may be odd about a gradient; a number in a column is an index into this."""
FINE, NONE, NAN, INF, ZERO, NOT_KEPT = range(len(STATES))
UNKEPT = "the numbers were not kept, as with values='none'"
"""What to say of gradients in that state."""
_NUMBERS = frozenset((np.float32, np.float64))
_STATE_OF: dict[Oddity, int] = {"nan": NAN, "inf": INF, "zero": ZERO}


def measured(values: Sequence[Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The norm and the state of each of many gradients or values; the norm is NaN where nothing was kept.

    >>> measured([np.array([3.0, 4.0]), None, np.array([1.0, np.nan]), np.array([1.0, np.inf])])
    (array([ 5., nan, nan, inf]), array([0, 1, 2, 3], dtype=uint8))
    """
    if set(map(type, values)) <= _NUMBERS:
        return _of_numbers(np.abs(np.array(values, np.float64)))
    norms = np.full(len(values), np.nan)
    states = np.zeros(len(values), np.uint8)
    squares = _squares(values)
    slow = list(range(len(values)))
    if squares is not None:
        safe = (squares > TINY) & (squares < HUGE)
        norms[safe] = np.sqrt(squares[safe])
        slow = np.flatnonzero(~safe).tolist()
    for index in slow:
        norms[index], states[index] = _one(values[index])
    return norms, states


def _of_numbers(sizes: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The same of single numbers, or of norms, of which these are the sizes."""
    states = np.select([np.isnan(sizes), np.isinf(sizes), sizes == 0], [NAN, INF, ZERO], FINE)
    return sizes, states.astype(np.uint8)


def _squares(values: Sequence[Any]) -> np.ndarray[Any, Any] | None:
    """The sum of squares of each value, None where they are not all real arrays of one shape."""
    if set(map(type, values)) != {np.ndarray}:
        return None
    shapes = {each.shape for each in values}
    if len(shapes) > 1 or shapes == {()} or not values[0].size:
        return None
    rows = np.concatenate(values).reshape(len(values), -1)
    with np.errstate(over="ignore"):
        return np.einsum("ij,ij->i", rows, rows) if rows.dtype in (np.float32, np.float64) else None


def _one(value: Any) -> tuple[float, int]:
    """The norm and the state of one gradient or value."""
    value = readable(value)
    if value is None:
        return np.nan, NONE
    summary = summary_of(value) if value is not True and is_value(value) else None
    if summary is None:
        return np.nan, NOT_KEPT
    state = next((_STATE_OF[each] for each in summary.oddities), FINE)
    return {NAN: np.nan, INF: np.inf}.get(state, summary.norm), state
