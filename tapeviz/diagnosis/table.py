"""EventLog -> Table: every target against every source, what arrives there, and why where nothing does."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from typing import Any

from tapeviz.diagnosis.columns import Cell, CellState, asked_columns, unasked_columns
from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.finding import Finding, Findings
from tapeviz.diagnosis.ranks.spread import Spread, spread
from tapeviz.diagnosis.wording.naming import names_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import BackwardFinished, BackwardStarted, EventLog, log_of
from tapeviz.events.store.ranks import Ranks
from tapeviz.graph import Graph
from tapeviz.markup.card import note
from tapeviz.markup.offline import reading_page
from tapeviz.markup.table import grid
from tapeviz.markup.text import lines
from tapeviz.markup.theme import Tone
from tapeviz.phrases import counted, side_by_side
from tapeviz.replay import ROWS_LOST
from tapeviz.source.roundtrips import whole_graph

MOST_COLUMNS, MOST_ROWS = 8, 60
"""Targets and sources that are shown; of more, the others are counted."""


class Table(Sequence[tuple[Cell, ...]]):
    """One row per source, one cell per target; `findings` explains what is amiss, grouped by cause and line."""

    def __init__(
        self, rows: Sequence[Sequence[Cell]], findings: Findings, empty: str = "", notes: Sequence[str] = ()
    ) -> None:
        self._rows = tuple(tuple(row) for row in rows)
        self.findings = findings
        self._empty = empty
        self._notes = notes

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def targets(self) -> list[str]:
        """The names of the columns."""
        return [cell.target for cell in self._rows[0]] if self._rows else []

    @cached_property
    def _marks(self) -> dict[Hashable, int]:
        """Cause and line -> the number that stands for them in the cells."""
        return {(first.cause, first.site): number for number, first in self._legend()}

    def _text(self, cell: Cell) -> str:
        """A cell as it is read: a norm, or what there is in its place and the number of the reason."""
        finding = cell.finding
        mark = "" if finding is None else f" [{self._marks[finding.cause, finding.site]}]"
        return (cell.arrived or _UNASKED[cell.state]) + mark

    def _legend(self) -> Iterator[tuple[int, Finding]]:
        """The number of each cause and line, and the first finding of it."""
        firsts: dict[Hashable, Finding] = {}
        for first, *_ in self.findings.groups():
            firsts.setdefault((first.cause, first.site), first)
        return enumerate(firsts.values(), 1)

    def __str__(self) -> str:
        if not self._rows:
            return self._empty
        rows = [["norm of the gradient", *self.targets[:MOST_COLUMNS]]]
        rows += [[row[0].source, *map(self._text, row[:MOST_COLUMNS])] for row in self._rows[:MOST_ROWS]]
        text = [*side_by_side(rows), *self._more()]
        text += [*(_explained(number, finding) for number, finding in self._legend()), *self._signs()]
        return "\n".join(text)

    __repr__ = __str__

    def _more(self) -> list[str]:
        sources, targets = len(self) - MOST_ROWS, len(self.targets) - MOST_COLUMNS
        hidden = (sources, "more source"), (targets, "more target")
        more = [counted(count, what) for count, what in hidden if count > 0]
        rows = [f"Jacobian: no norm, since {ROWS_LOST}"] * any(cell.is_jacobian for row in self for cell in row)
        return [*([f"… and {' and '.join(more)}"] if more else []), *rows, *self._notes]

    def _signs(self) -> list[str]:
        """What stands for a gradient that nobody asked for, and what it says."""
        shown = {cell.state for row in self._rows[:MOST_ROWS] for cell in row[:MOST_COLUMNS]}
        return [f"{_UNASKED[state]}: not asked for; {what}" for state, what in _WOULD.items() if state in shown]

    def _repr_html_(self) -> str:
        if not self._rows:
            return note(self._empty)
        cells = [
            (row[0].source, [(self._text(cell), _TONES[cell.state]) for cell in row[:MOST_COLUMNS]])
            for row in self._rows[:MOST_ROWS]
        ]
        about = "Norm of the gradient of each target by each source"
        more = "".join(note(each) for each in self._more())
        legend = lines([*(_explained(*each) for each in self._legend()), *self._signs()])
        found = self.findings._repr_html_() if self.findings else ""
        return grid(about, self.targets[:MOST_COLUMNS], cells) + more + legend + found

    def html(self) -> str:
        """The table as a page of its own, with nothing to load.

        >>> import tapeviz as tv
        >>> w = tv.Variable(2.0)
        >>> with tv.GradientTape() as tape:
        ...     y = w * w
        >>> _ = tape.gradient(y, w)
        >>> tv.table(tape).html().startswith("<!doctype html>")
        True
        """
        return reading_page("Gradients", self._repr_html_())


EMPTY = "{nothing} in this recording: there are no gradients to tabulate."
FAILED = "No gradient call of this recording came to its end: there are no gradients to tabulate. `diagnose` says why."
UNMET = "No gradient call of this recording met a source: there are no gradients to tabulate."

_UNASKED: dict[CellState, str] = {"reaches": "(reaches)", "apart": "·"}
"""What stands for a gradient that nobody asked for."""
_WOULD: dict[CellState, str] = {"reaches": "a gradient would arrive", "apart": "none would arrive"}

_TONES: dict[CellState, Tone] = {
    "arrives": "",
    "zero": "warning",
    "nan": "error",
    "none": "error",
    "reaches": "soft",
    "apart": "faint",
}


def _explained(number: int, finding: Finding) -> str:
    where = "" if finding.site is None else f" ({words(finding.site)}:  {finding.site.text})"
    return f"[{number}] {finding.title}{where}"


def table(log_or_tape: Any) -> Table | Spread:
    """Every target of a recording against every source: the norm of the gradient, or why there is none.

    Targets and sources are those of the gradient calls, of a call in a loop once; what a call did not ask for stands in
    parentheses if it would get a gradient, and is a dot if not. Before the first call the targets are the last results
    that a tape recorded, and the sources all that it follows.

    Args:
        log_or_tape: a log, or anything with `.log`. Of the logs of several ranks it is the spread over these: of each
            parameter the least, mean and greatest norm, as its gradient arrived and as `.grad` was in the end.

    Returns:
        A sequence of rows, one per source, of cells, one per target; `findings` says what is amiss.

    Raises:
        TypeError: `log_or_tape` neither is a log nor has one.

    >>> import tapeviz as tv
    >>> w, b = tv.Variable([3.0, 4.0], name="w"), tv.Variable(1.0, name="b")
    >>> with tv.GradientTape() as tape:
    ...     loss = tv.reduce_sum(w * w) * tv.round(b)
    >>> _ = tape.gradient(loss, [w, b])
    >>> print(table(tape))  # doctest: +ELLIPSIS
    norm of the gradient  loss
    w                     10
    b                     None [1]
    [1] An op on the path has no derivative (...)
    """
    if isinstance(log_or_tape, Ranks):
        return spread(log_or_tape)
    return table_of(log_of(log_or_tape))


def table_of(log: EventLog) -> Table:
    """The table of one log."""
    graph = whole_graph(log)
    asked = asked_columns(graph)
    columns, results = (asked, 0) if asked else unasked_columns(graph)
    sources = list(dict.fromkeys(source for each in columns for source in each.sources))
    rows = [[each.cell(source) for each in columns] for source in sources]
    rows.sort(key=lambda row: _group(row))
    found = [cell.finding for row in rows for cell in row if cell.finding is not None]
    notes = [
        each.note(cell.target) for each, cell in zip(columns, rows[0] if rows else (), strict=False) if each.times > 1
    ]
    if results > len(columns):
        notes.append(f"of {counted(results, 'result')} that nothing uses the last are shown")
    return Table(rows, Findings(found, names_of(graph, found)), _without_rows(graph), notes)


def _without_rows(graph: Graph) -> str:
    """What to say where there is no source."""
    if graph.log.of_kind(BackwardFinished):
        return UNMET
    if graph.log.of_kind(BackwardStarted):
        return FAILED
    return EMPTY.format(nothing=dialect_of(graph.log).say("nothing followed"))


def _group(row: Sequence[Cell]) -> tuple[Any, ...]:
    """Rows of one cause and line stand together, the healthy ones first."""
    found = [cell.finding for cell in row if cell.finding is not None]
    first = found[0] if found else None
    line = 0 if first is None or first.site is None else first.site.line
    return (first is not None, "" if first is None else first.cause, line)
