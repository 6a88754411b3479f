"""EventLog -> how its values spread: the histograms of small ones are found for many at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from tapeviz.events import EventLog
from tapeviz.events.summaries import alike
from tapeviz.events.summary import elements_of
from tapeviz.views.words import levels
from tapeviz.views.words.numbers import SHOWN_IN_A_ROW

TOGETHER = 1 << 12
"""Values that are read, and looked at, together."""
Place = tuple[int, int | None]
"""A tensor, and the position at which its value counts; None: its first."""


class Histograms:
    """The histograms of what a log's tensors held."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._found: dict[Place, str | None] = {}

    def find(self, places: Iterable[Place]) -> None:
        """Find those of small floats together, ahead of asking for each."""
        values = self._values(places)
        while batch := list(islice(values, TOGETHER)):
            for keys, arrays in alike(batch):
                if arrays[0].size > SHOWN_IN_A_ROW:
                    rows = np.stack([array.reshape(-1) for array in arrays])
                    self._found.update(zip(keys, levels.histograms(rows), strict=True))

    def of(self, tensor: int, at: int | None = None) -> str | None:
        """That of one value; None where `levels.histogram` is."""
        found = self._found.get((tensor, at))
        return found or levels.histogram(self._log.value(tensor, at))

    def _values(self, places: Iterable[Place]) -> Iterator[tuple[Place, np.ndarray[Any, Any]]]:
        """Those that have elements, and are not known yet."""
        for place in places:
            if place not in self._found:
                array = elements_of(self._log.value(*place))
                if array is not None:
                    yield place, array
