"""Log -> indices of its events that many readers need: gradient calls, tapes, optimizers, read-outs and writes."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Mapping
from functools import cached_property

from tapeviz.events import (
    BackwardFinished,
    BackwardStarted,
    EventLog,
    GradientRead,
    GradientStored,
    ReadOut,
    StateWritten,
)
from tapeviz.events.figures import Figures
from tapeviz.graph.optimizers import OptimizerHistory, optimizers
from tapeviz.graph.tapes import TapeHistory, histories


class IndexedLog:
    """A log, and indices of its events, each made when it is first needed."""

    def __init__(self, log: EventLog) -> None:
        self.log = log
        self._numbers: dict[Hashable, int] = {}

    def number_of(self, key: Hashable) -> int:
        """A number in the place of a long key: equal ones have the same."""
        return self._numbers.setdefault(key, len(self._numbers))

    @cached_property
    def figures(self) -> Figures:
        """The statistics of the log's values."""
        return Figures(self.log)

    # ----- gradient calls -----

    @cached_property
    def marks(self) -> list[int]:
        """The positions at which gradient calls of the log began and ended, in order."""
        return list(self.log.of_kind(BackwardStarted, BackwardFinished))

    def is_backward(self, position: int) -> bool:
        """Whether an op ran as part of a gradient call."""
        before = bisect_left(self.marks, position) - 1
        return before >= 0 and isinstance(self.log.events[self.marks[before]], BackwardStarted)

    @cached_property
    def finished(self) -> dict[int, BackwardFinished]:
        """The end of each run that has finished, by the run's number."""
        return {each.run: each for each in self.log.of_kind(BackwardFinished).values()}

    @cached_property
    def handing_over(self) -> set[int]:
        """The runs that handed their gradients over, as PyTorch's `autograd.grad` does, and left none in a tensor."""
        arrived = (run for run, end in self.finished.items() if any(each is not None for each in end.gradients))
        return set(arrived) - self.storing

    @cached_property
    def storing(self) -> set[int]:
        """The runs that store gradients in tensors."""
        return {each.run for each in self.log.of_kind(GradientStored).values()}

    # ----- the program between them -----

    @cached_property
    def optimizers(self) -> Mapping[int, OptimizerHistory]:
        """The optimizers of the log, by their numbers."""
        return optimizers(self.log)

    @cached_property
    def listed(self) -> frozenset[int]:
        """The tensors in the lists of the optimizers."""
        return frozenset(tensor for each in self.optimizers.values() for tensor in each.parameters)

    @cached_property
    def histories(self) -> Mapping[int, TapeHistory]:
        """The history of every tape."""
        return histories(self.log)

    @cached_property
    def read_outs(self) -> Mapping[int, list[int]]:
        """Tensor -> the positions at which its value was read out."""
        return _by_tensor(self.log.of_kind(ReadOut))

    @cached_property
    def writes(self) -> Mapping[int, list[int]]:
        """Variable -> the positions at which a value was written into it."""
        return _by_tensor(self.log.of_kind(StateWritten))

    @cached_property
    def last_used(self) -> dict[int, int]:
        """Tensor -> the last position at which it was written, or its `.grad` read."""
        return {each.tensor: at for at, each in self.log.of_kind(GradientRead, StateWritten).items()}


def _by_tensor(events: Mapping[int, ReadOut] | Mapping[int, StateWritten]) -> dict[int, list[int]]:
    """Tensor -> the positions of the events about it, in order."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for position, event in events.items():
        found[event.tensor].append(position)
    return dict(found)
