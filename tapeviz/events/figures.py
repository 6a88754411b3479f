"""EventLog -> the statistics of its values: those of small ones are found for many at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tapeviz.events.summaries import SMALL, Summaries, alike
from tapeviz.events.summary import Oddity, Summary, elements_of, oddities, size_of
from tapeviz.events.values import HeldTensor, readable

if TYPE_CHECKING:
    from tapeviz.events.log import EventLog

TOGETHER = 1 << 12
"""Values that are read, and looked at, together."""


class Figure(NamedTuple):
    """The statistics of a value, which is a row of those looked at together, and its norm in double precision."""

    rows: Summaries
    row: int
    norm: float

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the value."""
        return self.rows.shapes[self.row]

    @property
    def summary(self) -> Summary:
        """All statistics."""
        return self.rows[self.row]

    @property
    def oddities(self) -> tuple[Oddity, ...]:
        """All that is odd about the value, the worst first."""
        return self.rows.oddities[self.row]


class Figures:
    """The statistics of a log's values, of a variable its first, as they were when they were first asked for."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._is_gradient = [row.role == "cotangent" for row in log.tensors]

    def of(self, tensor: int) -> Figure | None:
        """The statistics of a small value of floats in main memory; None of any other."""
        return (self._gradients if self._is_gradient[tensor] else self._others).get(tensor)

    def oddities(self, tensor: int) -> tuple[Oddity, ...]:
        """All that is odd about a value, the worst first."""
        small = self.of(tensor)
        return oddities(self._log.value(tensor)) if small is None else small.oddities

    def norm(self, tensor: int) -> float | None:
        """The Euclidean norm of a value, not finite where an element is not; None where its numbers were not kept."""
        small = self.of(tensor)
        return size_of(self._log.value(tensor)) if small is None else small.norm

    @cached_property
    def _gradients(self) -> dict[int, Figure]:
        return self._log.once("figures of gradients", lambda: self._small(True))

    @cached_property
    def _others(self) -> dict[int, Figure]:
        return self._log.once("figures of others", lambda: self._small(False))

    def _small(self, gradients: bool) -> dict[int, Figure]:
        """Those of all gradients, or of all else: who asks for one soon asks for the others."""
        found: dict[int, Figure] = {}
        values = self._values(tensor for tensor, each in enumerate(self._is_gradient) if each is gradients)
        while batch := list(islice(values, TOGETHER)):
            found.update(_figures(batch))
        return found

    def _values(self, tensors: Iterable[int]) -> Iterator[tuple[int, np.ndarray[Any, Any]]]:
        """The small values among them, with their tensors."""
        log = self._log
        for tensor in tensors:
            held = log.versions(tensor)
            if held and _is_small(held[0][1]):
                array = elements_of(readable(held[0][1]))
                if array is not None:
                    yield tensor, array


def _is_small(value: Any) -> bool:
    if isinstance(value, HeldTensor):
        return value.cost > 0 and value.nbytes <= SMALL and value.is_near  # one that was let go costs nothing
    return isinstance(value, (np.ndarray, np.generic)) and value.nbytes <= SMALL


def _figures(batch: Iterable[tuple[int, np.ndarray[Any, Any]]]) -> Iterator[tuple[int, Figure]]:
    """The figures of those that are floats and have elements: of one dtype and size as the rows of one matrix."""
    for tensors, arrays in alike(batch):
        rows = np.stack([array.reshape(-1) for array in arrays])
        wide = rows.astype(np.float64, copy=False)
        norms = np.sqrt(np.vecdot(wide, wide)).tolist()
        found = Summaries(rows, [array.shape for array in arrays])
        for row, (tensor, length) in enumerate(zip(tensors, norms, strict=True)):
            yield tensor, Figure(found, row, length)
