"""EventLog -> plain text: the ops of a recording as a table, its gradients, and what is wrong, for a terminal."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.ranks.spread import spread
from tapeviz.events import OpSkipped
from tapeviz.events.store.ranks import Ranks
from tapeviz.phrases import side_by_side
from tapeviz.replay import Run
from tapeviz.views.reading import Reading, read
from tapeviz.views.words import numbers
from tapeviz.views.words.one_line import one_line, shortened

SHOWN_ENDS = 20
"""How many ops are listed at either end of a recording that has more than twice as many."""

_HEADINGS = ("op", "result", "shape", "dtype", "line")
_WIDEST = 44
_NOT_FOLLOWED = " (not followed)"
"""What follows the call of an op that no tape recorded."""


def text(log_or_tape: Any) -> str:
    """A log as plain text.

    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0, name="x")
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> _ = tape.gradient(y, x)
    >>> print(text(tape))
    tape of 1 op
    ...
    gradient of y:
      x  6.0
    """
    if isinstance(log_or_tape, Ranks):
        return f"{log_or_tape}\n\n{spread(log_or_tape)}\n\n{diagnose(log_or_tape)}"
    reading = read(log_or_tape)
    parts = ["; ".join(filter(None, (reading.title, reading.remark))), *_ops(reading)]
    for run in reading.runs:
        parts += ["", f"{reading.names.run(run)}:", *_gradients(reading, run)]
    if reading.findings:
        parts += ["", str(reading.findings)]
    return "\n".join(parts)


def _ops(reading: Reading) -> Iterator[str]:
    positions = sorted(reading.graph.ops)
    left_out = len(positions) - 2 * SHOWN_ENDS
    if left_out > 0:
        rows = [_row(reading, at) for at in (*positions[:SHOWN_ENDS], *positions[-SHOWN_ENDS:])]
        lines = list(aligned([_HEADINGS, *rows]))
        yield from lines[: 1 + SHOWN_ENDS]
        yield f"  … {left_out:,} ops …"
        yield from lines[1 + SHOWN_ENDS :]
    elif positions:
        yield from aligned([_HEADINGS, *(_row(reading, at) for at in positions)])


def _row(reading: Reading, position: int) -> tuple[str, ...]:
    op = reading.graph.ops[position]
    call = f"{reading.names.function(op)}({', '.join(map(reading.names.tensor, op.inputs))})"
    if isinstance(op, OpSkipped):
        call = shortened(one_line(call), _WIDEST - len(_NOT_FOLLOWED)) + _NOT_FOLLOWED
    if not op.outputs:
        return call, "", "", "", _where(reading, op.site)
    row = reading.log.tensors[op.outputs[0]]
    tensors = reading.log.tensors
    name = reading.names.title(position) if any(tensors[output].name for output in op.outputs) else ""
    return call, name, numbers.shape_text(row.shape), row.dtype, _where(reading, op.site)


def _where(reading: Reading, site: int | None) -> str:
    if site is None:
        return ""
    where = reading.log.sites[site]
    return f"{os.path.basename(where.filename)}:{where.line}  {where.text}"


def _gradients(reading: Reading, run: Run) -> Iterator[str]:
    rows = []
    for source, gradient in zip(run.sources, run.gradients or (), strict=False):
        name = reading.names.tensor(source)
        rows.append((name, "None" if gradient is None else _gradient_text(reading, run, gradient)))
    yield from aligned(rows) if run.gradients is not None else ["  not finished"]


def _gradient_text(reading: Reading, run: Run, gradient: int) -> str:
    return numbers.short_text(reading.log.value(gradient)) if run.rows is None else "its rows are not kept"


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as lines, columns side by side; the last column is as wide as it likes."""
    cells = [[*(shortened(one_line(cell), _WIDEST) for cell in row[:-1]), one_line(row[-1])] for row in rows]
    yield from (f"  {line}" for line in side_by_side(cells))
