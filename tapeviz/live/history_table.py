"""Columns of a history -> a plain text table, one line per variable."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tapeviz.live.column import Column
from tapeviz.live.measure import NAN, NOT_KEPT, UNKEPT
from tapeviz.live.trouble import Trouble
from tapeviz.phrases import counted, side_by_side
from tapeviz.views.words import numbers
from tapeviz.views.words.one_line import shortened

HEAD = ("variable", "first", "last", "smallest", "largest", "|value|", "trouble")
EMPTY = "no step yet: call history.add(tape) after tape.gradient(...)"


def table(columns: Sequence[Column], troubles: Sequence[Trouble], count: int) -> str:
    """Norms of the gradients (first to largest) and of the last value, and where something first went wrong."""
    if not count:
        return EMPTY
    rows = [_row(column, [each for each in troubles if each.variable == column.name]) for column in columns]
    unkept = any(NOT_KEPT in column.states for column in columns)
    below = [f"-: {UNKEPT}"] if unkept else []
    return "\n".join([f"gradient norms over {counted(count, 'step')}", *side_by_side([HEAD, *rows]), *below])


def _row(column: Column, troubles: Sequence[Trouble]) -> tuple[str, ...]:
    norms, states = np.array(column.gradients), column.states
    known = norms[np.isfinite(norms)]
    smallest, largest = (known.min(), known.max()) if known.size else (np.nan, np.nan)
    ends = [_figure(norms[at], kept=states[at] == NAN) if states else "-" for at in (0, -1)]
    value = _figure(column.values[-1], kept=column.value_state == NAN) if states else "-"
    cells = [*ends, _figure(smallest), _figure(largest), value]
    words = ", ".join(f"{each.what} first at step {each.step}" for each in troubles)
    return (shortened(column.name), *cells, words)


def _figure(norm: float, *, kept: bool = False) -> str:
    """A norm as text; NaN is a true norm if the value was `kept`, else there was nothing to measure."""
    if np.isnan(norm):
        return "NaN" if kept else "-"
    return numbers.rounded(float(norm), 4)
