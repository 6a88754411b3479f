"""EventLog -> plain text: the ops of a recording as a table, its gradients, and what is wrong, for a terminal."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.ranks.differences import differences
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


@dataclass(frozen=True)
class Rows:
    """Cells that stand side by side, under `headings` if there are any; in their middle are `left_out` others."""

    cells: tuple[tuple[str, ...], ...]
    headings: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def ellipsis(self) -> str:
        """What stands in place of those that are left out."""
        return f"… {self.left_out:,} ops …"

    def __str__(self) -> str:
        lines = list(aligned([self.headings, *self.cells] if self.headings else self.cells))
        if self.left_out:
            lines.insert(len(lines) - len(self.cells) // 2, f"  {self.ellipsis}")
        return "\n".join(lines)


Part: TypeAlias = str | Rows
"""A part of a text: lines, or rows of cells."""


def text(log_or_tape: Any) -> str:
    """A log as plain text.

    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0, name="x")
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> _ = tape.gradient(y, x)
    >>> print(text(tape))
    tape of 1 op, y = 9.0
    ...
    gradient of y:
      x  6.0
    """
    return "\n".join(map(str, parts(log_or_tape)))


def parts(log_or_tape: Any) -> Iterator[Part]:
    """The same in parts, each of which begins on a line of its own."""
    if isinstance(log_or_tape, Ranks):
        yield f"{log_or_tape}\n\n{differences(log_or_tape)}\n\n{spread(log_or_tape)}\n\n{diagnose(log_or_tape)}"
        return
    reading = read(log_or_tape)
    yield "; ".join(filter(None, (reading.title, reading.remark)))
    if reading.graph.ops:
        yield _ops(reading)
    for run in reading.runs:
        yield f"\n{reading.names.run(run)}:"
        yield from _gradients(reading, run)
    if reading.findings:
        yield f"\n{reading.findings}"


def _ops(reading: Reading) -> Rows:
    positions = sorted(reading.graph.ops)
    left_out = max(0, len(positions) - 2 * SHOWN_ENDS)
    if left_out:
        positions = [*positions[:SHOWN_ENDS], *positions[-SHOWN_ENDS:]]
    return Rows(tuple(_row(reading, at) for at in positions), _HEADINGS, left_out)


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


def _gradients(reading: Reading, run: Run) -> Iterator[Part]:
    if run.gradients is None:
        yield "  not finished"
    elif run.sources:
        names = map(reading.names.tensor, run.sources)
        texts = (_gradient_text(reading, run, each) for each in run.gradients)
        yield Rows(tuple(zip(names, texts, strict=False)))


def _gradient_text(reading: Reading, run: Run, gradient: int | None) -> str:
    if gradient is None:
        return "None"
    return numbers.short_text(reading.log.value(gradient)) if run.rows is None else "its rows are not kept"


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as lines, columns side by side; the last column is as wide as it likes."""
    cells = [[*(shortened(one_line(cell), _WIDEST) for cell in row[:-1]), one_line(row[-1])] for row in rows]
    yield from (f"  {line}" for line in side_by_side(cells))
