"""EventLog -> how its values spread: the histograms of small ones are found for many at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from tapeviz.events import EventLog
from tapeviz.events.figures import Figures
from tapeviz.events.summaries import Summaries, alike
from tapeviz.events.summary import elements_of
from tapeviz.views.words import levels
from tapeviz.views.words.numbers import SHOWN_IN_A_ROW

TOGETHER = 1 << 12
"""Values that are read, and looked at, together."""
Place = tuple[int, int | None]
"""A tensor, and the position at which its value counts; None: its first."""


class Histograms:
    """The histograms of what a log's tensors held: of first values those of all whose `figures` are found together."""

    def __init__(self, log: EventLog, figures: Figures) -> None:
        self._log = log
        self._figures = figures
        self._of_rows: dict[Summaries, Sequence[str | None]] = {}
        self._later: dict[Place, str | None] = {}

    def find(self, places: Iterable[Place]) -> None:
        """Find those of later values that are small floats together, ahead of asking for each."""
        values = self._values(places)
        while batch := list(islice(values, TOGETHER)):
            for keys, arrays in alike(batch):
                self._later.update(zip(keys, _of_rows(np.stack([array.reshape(-1) for array in arrays])), strict=True))

    def of(self, tensor: int, at: int | None = None) -> str | None:
        """That of one value; None where `levels.histogram` is."""
        found = self._of_first(tensor) if self._is_first(tensor, at) else self._later.get((tensor, at))
        return found or levels.histogram(self._log.value(tensor, at))

    def _of_first(self, tensor: int) -> str | None:
        figure = self._figures.of(tensor)
        if figure is None:
            return None
        if figure.rows not in self._of_rows:
            self._of_rows[figure.rows] = _of_rows(figure.rows.rows)
        return self._of_rows[figure.rows][figure.row]

    def _is_first(self, tensor: int, at: int | None) -> bool:
        return at is None or self._log.entry(tensor, at) is self._log.entry(tensor)

    def _values(self, places: Iterable[Place]) -> Iterator[tuple[Place, np.ndarray[Any, Any]]]:
        """Those that have elements, and are not known yet."""
        for place in places:
            if place not in self._later and not self._is_first(*place):
                array = elements_of(self._log.value(*place))
                if array is not None:
                    yield place, array


def _of_rows(rows: np.ndarray[Any, Any]) -> Sequence[str | None]:
    """Those of the rows of a matrix, unless these are so short that their elements are shown."""
    return levels.histograms(rows) if rows.shape[1] > SHOWN_IN_A_ROW else [None] * len(rows)
