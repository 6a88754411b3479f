"""Ranks -> Spread: the norm of each parameter's gradient over the ranks, as it arrived and as it was stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tapeviz.diagnosis.ranks.kinds_of_difference import NEAR
from tapeviz.diagnosis.ranks.passes import BackwardPass
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.events.store.ranks import Ranks
from tapeviz.markup.card import note
from tapeviz.markup.offline import reading_page
from tapeviz.markup.table import grid
from tapeviz.markup.theme import Tone
from tapeviz.phrases import counted, side_by_side

MOST_ROWS = 100
"""Parameters that are shown, those that differ first; of more, the others are counted."""
COLUMNS = ("least", "mean", "greatest", ".grad least", ".grad mean", ".grad greatest")


@dataclass(frozen=True, slots=True)
class NormSpread:
    """Norms of one gradient by rank; a rank that has none, or of which none is known, is not among them."""

    by_rank: dict[int, float]

    @property
    def mean(self) -> float | None:
        """Their mean."""
        return sum(self.by_rank.values()) / len(self.by_rank) if self.by_rank else None

    @property
    def least(self) -> tuple[int, float] | None:
        """The first rank with the smallest, and that."""
        return min(self.by_rank.items(), key=lambda each: each[1]) if self.by_rank else None

    @property
    def greatest(self) -> tuple[int, float] | None:
        """The first rank with the largest, and that."""
        return max(self.by_rank.items(), key=lambda each: each[1]) if self.by_rank else None

    @property
    def is_equal(self) -> bool:
        """Whether it is the same on several ranks."""
        if self.least is None or self.greatest is None or len(self.by_rank) == 1:
            return False
        return self.greatest[1] - self.least[1] <= NEAR * self.greatest[1]

    def cells(self) -> tuple[str, str, str]:
        """Least, mean and greatest, as they are read."""
        if self.least is None or self.greatest is None or self.mean is None:
            return "none", "none", "none"
        if self.is_equal:
            return "", f"{self.mean:.4g}", "the same"
        return _ranked(*self.least), f"{self.mean:.4g}", _ranked(*self.greatest)


@dataclass(frozen=True, slots=True)
class SpreadRow:
    """One parameter: what `arrived` in each process alone, what its `.grad` was in the end, and the `missing` ranks."""

    parameter: str
    arrived: NormSpread
    stored: NormSpread
    missing: tuple[int, ...]


class Spread(Sequence[SpreadRow]):
    """One row per parameter, of the last backward pass that all ranks came to; those that differ come first."""

    def __init__(self, rows: Sequence[SpreadRow], ranks: str, number: int) -> None:
        self._rows = tuple(rows)
        self._about = f"norm of the gradient over {ranks}, in pass {number}"

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def _cells(self) -> Iterator[tuple[SpreadRow, tuple[str, ...]]]:
        for row in self._rows[:MOST_ROWS]:
            lacking = f"none on {', '.join(map(str, row.missing))}" if row.missing else ""
            yield row, (*row.arrived.cells(), *row.stored.cells(), lacking)

    def __str__(self) -> str:
        if not self._rows:
            return EMPTY
        rows = [["parameter", *COLUMNS, ""], *([row.parameter, *cells] for row, cells in self._cells())]
        return "\n".join([self._about, *(line.rstrip() for line in side_by_side(rows)), *self._more()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        if not self._rows:
            return note(EMPTY)
        rows = [(row.parameter, [(cell, _tone(row)) for cell in cells]) for row, cells in self._cells()]
        return grid(self._about, [*COLUMNS, "missing"], rows) + "".join(map(note, self._more()))

    def _more(self) -> list[str]:
        return [f"… and {counted(len(self) - MOST_ROWS, 'more parameter')}"] if len(self) > MOST_ROWS else []

    def html(self) -> str:
        """The table as a page of its own, with nothing to load."""
        return reading_page("Gradients over ranks", self._repr_html_())


EMPTY = "No backward pass that all ranks came to: there are no gradients to tabulate."


def spread(ranks: Ranks) -> Spread:
    """The norms of all gradients over the ranks."""
    logs = [RankLog(rank, log) for rank, log in ranks.items()]
    last = min((len(log.passes) for log in logs), default=0)
    if not last:
        return Spread((), str(ranks), 0)
    pairs = [(log, log.passes[last - 1]) for log in logs]
    names = dict.fromkeys(name for log in logs for name in log.parameters)
    rows = [_row(name, pairs) for name in names]
    met = [each for each in rows if each.arrived.by_rank or each.stored.by_rank]
    met.sort(key=lambda row: (not row.missing, row.stored.is_equal))
    return Spread(met, counted(len(logs), "rank"), last)


def _row(name: str, pairs: Sequence[tuple[RankLog, BackwardPass]]) -> SpreadRow:
    arrived = {log.rank: log.size(of.arrived[name]) for log, of in pairs if name in of.arrived}
    stored = {log.rank: log.size(of.versions[name][-1].tensor) for log, of in pairs if name in of.versions}
    missing = tuple([log.rank for log, _ in pairs if log.rank not in arrived])
    return SpreadRow(name, NormSpread(_known(arrived)), NormSpread(_known(stored)), missing)


def _known(sizes: dict[int, float | None]) -> dict[int, float]:
    return {rank: size for rank, size in sizes.items() if size is not None}


def _ranked(rank: int, size: float) -> str:
    return f"{size:.4g} (rank {rank})"


def _tone(row: SpreadRow) -> Tone:
    return "error" if row.missing else "" if row.stored.is_equal else "warning"
