"""Two tables of gradients -> how each gradient, and the findings about it, changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from tapeviz.diagnosis.columns import Cell
from tapeviz.diagnosis.comparing.counterparts import (
    BY_ANY_TRAIT,
    BY_NAME,
    IN_ORDER,
    NAMED,
    GradientSource,
    counterparts,
)
from tapeviz.diagnosis.comparing.tolerance import Tolerance, distance
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.table import Table, table_of
from tapeviz.events import EventLog
from tapeviz.events.summary import summary_of


@dataclass(frozen=True)
class GradientChange:
    """What the gradient of one target by one source was before, and is after; a side is None where it was not asked.

    `renamed` is what target and source are called after, where that is something else. `distance` is how far both are
    apart, relative to the longer, where that is known.
    """

    target: str
    source: str
    before: str | None
    after: str | None
    same: bool
    renamed: tuple[str, str] | None = None
    distance: float | None = None

    def __str__(self) -> str:
        names = f"{self.target} by {self.source}"
        if self.renamed is not None:
            names += f" ({' by '.join(self.renamed)})"
        if self.same:
            return f"{names}: {self.after}, the same"
        unseen = f", {self.distance:.0e} apart" if self.distance and self.before == self.after else ""
        return f"{names}: {self.before or 'not asked'} → {self.after or 'not asked'}{unseen}"


class CellPair(NamedTuple):
    """One gradient in both programs; None in the one that did not ask for it."""

    before: Cell | None
    after: Cell | None


class GradientComparison:
    """Which gradient of one program is which of the other, and what became of each.

    Names tell. In another framework they may be other ones: then the last words of a name do, the value that a source
    began with, and its shape.
    """

    def __init__(self, before: EventLog, after: EventLog, tolerance: Tolerance) -> None:
        self._logs = before, after
        self._tolerance = tolerance
        one, other = table_of(before), table_of(after)
        in_order = tolerance.ported or len(one.targets) == len(other.targets) == 1
        columns = counterparts(one.targets, other.targets, IN_ORDER if in_order else NAMED)
        sources = [_source(before, row[0]) for row in one], [_source(after, row[0]) for row in other]
        rows = counterparts(*sources, BY_ANY_TRAIT if tolerance.ported else BY_NAME)
        self._pairs = [
            CellPair(_cell(one, row, column), _cell(other, other_row, other_column))
            for column, other_column in columns
            for row, other_row in rows
        ]

    def changes(self) -> list[GradientChange]:
        """What became of each gradient that one of the programs took, those that changed first."""
        taken = [pair for pair in self._pairs if {each.state for each in pair if each is not None} - {"apart"}]
        return sorted(map(self._change, taken), key=lambda each: each.same)

    def _change(self, pair: CellPair) -> GradientChange:
        was, now = pair
        names, others = ((cell.target, cell.source) if cell is not None else None for cell in pair)
        values = [_gradient(log, cell) for log, cell in zip(self._logs, pair, strict=True)]
        alike = was is not None and now is not None and was.state == now.state
        return GradientChange(
            *(names or others or ("", "")),
            _in_words(was),
            _in_words(now),
            alike and self._tolerance.same(*values),
            others if names and names != others else None,
            distance(*values),
        )

    def solved(self) -> list[Finding]:
        """What was found only before."""
        return _distinct(was for was, now in self._pairs if _cause(was) != _cause(now))

    def new(self) -> list[Finding]:
        """What is found only after."""
        return _distinct(now for was, now in self._pairs if _cause(was) != _cause(now))


def _source(log: EventLog, cell: Cell) -> GradientSource:
    return GradientSource(cell.source, log.tensors[cell.tensor].shape, summary_of(log.value(cell.tensor)))


def _cell(gradients: Table, row: int | None, column: int | None) -> Cell | None:
    if row is None or column is None:
        return None
    found: Cell = gradients[row][column]
    return found


def _gradient(log: EventLog, cell: Cell | None) -> Any:
    return None if cell is None or cell.gradient is None else log.value(cell.gradient)


def _in_words(cell: Cell | None) -> str | None:
    """What arrived, in a word."""
    if cell is None:
        return None
    cause = "" if cell.finding is None else f" [{cell.finding.cause}]"
    return (cell.arrived or {"reaches": "reaches", "apart": "no path"}[cell.state]) + cause


def _cause(cell: Cell | None) -> str | None:
    return None if cell is None or cell.finding is None else cell.finding.cause


def _distinct(cells: Iterator[Cell | None]) -> list[Finding]:
    """The findings of cells, of one cause and line one."""
    found = [cell.finding for cell in cells if cell is not None and cell.finding is not None]
    return list({(each.cause, each.site): each for each in found}.values())
