"""Reading, Axes -> the norm of the gradient of each variable, on a logarithmic scale, those at its ends named."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tapeviz.events.summary import size_of
from tapeviz.markup.theme import colour
from tapeviz.views.reading import Reading
from tapeviz.views.reports.figures import say
from tapeviz.views.words import numbers
from tapeviz.views.words.one_line import distinct

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST_ROW = 8.5
"""Points for the name of a variable: nearer to the next, the two would touch."""
NAMED_VARIABLES, NAMED_OF_MANY = 40, 24
"""Of more variables only so many are named."""
LETTERS = 18
ROOM_BESIDE = 3.0
"""How many times the scale reaches beyond the least norm."""
LETTER_WIDTH, SHARE_OF_PLOT = 5.2, 0.6
"""Points that a letter of a word takes, and how much of the width of its Axes a plot has beside its names."""


class VariableNorm(NamedTuple):
    """A variable and the norm of its gradient; None: its numbers were not kept, or, if `missing`, there is none."""

    name: str
    norm: float | None
    missing: bool

    @property
    def place(self) -> float | None:
        """Where it stands on the scale; None for what has no place there."""
        return self.norm if self.norm is not None and 0 < self.norm < math.inf else None

    @property
    def word(self) -> str:
        """Its norm, or what there is in its place."""
        return "None" if self.missing else "not kept" if self.norm is None else numbers.number(self.norm)

    @property
    def is_odd(self) -> bool:
        """Whether it is marked as wrong: None, zero, or not finite."""
        return self.missing or (self.norm is not None and self.place is None)


def plot_variables(reading: Reading, axes: Axes) -> None:
    """The norm of the gradient of each source, by the last run that asked for it, in the order of the program."""
    axes.set_title("Gradient norm per variable")
    rows = list(_norms(reading))
    if not rows:
        say(axes, "no gradient was taken")
        return
    places = [each.place for each in rows if each.place is not None]
    low = min(places, default=1.0) / ROOM_BESIDE
    axes.set_xscale("log")
    axes.set_ylim(max(len(rows), 4) - 0.5, -0.5)
    known = [(row, each.place) for row, each in enumerate(rows) if each.place is not None]
    lines = [row for row, _ in known], low, [place for _, place in known]
    row_height = axes.bbox.height / axes.figure.dpi * 72 / len(rows)
    axes.hlines(*lines, color=colour("variable-line"), linewidth=min(6.0, 0.6 * row_height))
    named = _named(rows, row_height)
    ground = {"facecolor": axes.get_facecolor(), "edgecolor": "none", "pad": 0.5, "alpha": 0.85}
    letters = min(10.0, 0.9 * max(row_height, LEAST_ROW))
    axes.set_xlim(low, max([low * ROOM_BESIDE**2, *(_end(rows[row], low, axes) for row in named)]))
    for row in named:
        each = rows[row]
        tone = colour("cut" if each.is_odd else "soft")
        axes.annotate(
            f" {each.word}", (each.place or low, row), va="center", fontsize=min(letters, 8.5), color=tone, bbox=ground
        )
    names = distinct([rows[row].name for row in named], LETTERS)
    axes.set_yticks(named, names, parse_math=False, fontsize=letters)
    axes.set_xlabel("norm" if len(named) == len(rows) else f"norm, of {len(rows):,}: the ends of the scale are named")


def _end(row: VariableNorm, low: float, axes: Axes) -> float:
    """How far the scale has to reach for the word of a row to stand inside it."""
    share = min(0.8, LETTER_WIDTH * (len(row.word) + 2) / (SHARE_OF_PLOT * axes.bbox.width / axes.figure.dpi * 72))
    return float(low * ((row.place or low) / low) ** (1 / (1 - share)))


def rows_of(reading: Reading) -> int:
    """How many rows of names a figure is to have room for."""
    return min(len(last_gradients(reading)), NAMED_VARIABLES)


def last_gradients(reading: Reading) -> dict[int, int | None]:
    """Of each source the gradient that the last run gave that asked for it."""
    found: dict[int, int | None] = {}
    for run in reading.runs:
        found.update(zip(run.sources, run.gradients or (), strict=False))
    return found


def norm_of(reading: Reading, gradient: int | None) -> float | None:
    """The norm of a gradient; None where there is none, or its numbers were not kept."""
    return None if gradient is None else size_of(reading.log.value(gradient))


def _norms(reading: Reading) -> Iterator[VariableNorm]:
    for source, gradient in last_gradients(reading).items():
        yield VariableNorm(reading.names.tensor(source), norm_of(reading, gradient), gradient is None)


def _named(rows: Sequence[VariableNorm], row_height: float) -> list[int]:
    """The rows that are named: all if there is room; else what is odd, the smallest and the largest, none too close."""
    if len(rows) <= NAMED_VARIABLES and row_height >= LEAST_ROW:
        return list(range(len(rows)))
    by_size = sorted(
        (row for row, each in enumerate(rows) if each.place is not None), key=lambda row: rows[row].place or 0
    )
    odd = [row for row, each in enumerate(rows) if each.is_odd]
    ends = [row for pair in zip(by_size, reversed(by_size), strict=True) for row in pair]
    named: list[int] = []
    for row in dict.fromkeys([*ends[:2], *odd, *ends]):
        if all(abs(row - each) * row_height >= LEAST_ROW for each in named):
            named.append(row)
    return sorted(named[:NAMED_OF_MANY])
