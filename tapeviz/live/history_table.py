"""Columns of a history -> a plain text table, one line per variable."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tapeviz.live.column import Column
from tapeviz.live.trouble import Trouble
from tapeviz.phrases import counted, side_by_side
from tapeviz.views.words import numbers
from tapeviz.views.words.names import shortened

HEAD = ("variable", "first", "last", "smallest", "largest", "|value|", "trouble")
EMPTY = "no step yet: call history.add(tape) after tape.gradient(...)"


def table(columns: Sequence[Column], troubles: Sequence[Trouble], count: int) -> str:
    """Norms of the gradients (first to largest) and of the last value, and where something first went wrong."""
    if not count:
        return EMPTY
    rows = [_row(column, [each for each in troubles if each.variable == column.name]) for column in columns]
    return "\n".join([f"gradient norms over {counted(count, 'step')}", *side_by_side([HEAD, *rows])])


def _row(column: Column, troubles: Sequence[Trouble]) -> tuple[str, ...]:
    norms = np.array(column.gradients)
    known = norms[np.isfinite(norms)]
    figures = (norms[0], norms[-1], known.min(), known.max()) if known.size else (np.nan,) * 4
    cells = [_figure(float(each)) for each in (*figures, column.values[-1] if column.values else np.nan)]
    words = ", ".join(f"{each.what} first at step {each.step}" for each in troubles)
    return (shortened(column.name), *cells, words)


def _figure(value: float) -> str:
    return "-" if np.isnan(value) else numbers.rounded(value, 4)
