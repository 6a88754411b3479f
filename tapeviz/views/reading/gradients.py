"""Graph and run -> the gradient of every tensor, as far as each step of the run has come.

`frontend/timeline/gradients.js` does the same from the payload.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np

from tapeviz.events import EventLog
from tapeviz.events.summary import elements_of
from tapeviz.graph import Graph
from tapeviz.replay import Run
from tapeviz.views.words import numbers

MARK, MORE = "∇ ", " + …"
"""What stands before a gradient on a box, and after one to which contributions are still to come."""


class PartialSum(NamedTuple):
    """A sum on a tensor from a `step` on, by the id of its cotangent, of so many `parts`; `final`: no more come."""

    step: int
    cotangent: int
    parts: int
    final: bool


def arrivals(graph: Graph, run: Run) -> dict[int, list[PartialSum]]:
    """Tensor -> how its gradient grows, in the order of the steps; a seed is there at step 0.

    >>> import tapeviz as tv
    >>> from tapeviz.graph import build
    >>> from tapeviz.replay import runs
    >>> x = tv.Variable(3.0)
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> _ = tape.gradient(y, x)
    >>> [run] = runs(tape.log)
    >>> [(each.step, each.parts, each.final) for each in arrivals(build(tape.log), run)[run.sources[0]]]
    [(1, 1, False), (1, 2, True)]
    """
    found: dict[int, list[PartialSum]] = {}
    for number, step in enumerate(run.steps, 1):
        for output, seed in zip(graph.ops[step.op].outputs, step.upstream, strict=True):
            if seed is not None:
                found.setdefault(output, [PartialSum(0, seed, 0, True)])
        for each in step.contributions:
            found.setdefault(each.tensor, []).append(PartialSum(number, each.total, each.parts, each.final))
    return found


class GrowingGradients:
    """What stands on boxes of the gradients of one run, at each of its steps."""

    def __init__(self, graph: Graph, run: Run) -> None:
        self._graph, self._log, self._run = graph, graph.log, run
        self._arrivals = arrivals(graph, run)

    @cached_property
    def _sums(self) -> dict[int, str]:
        """The running sums that the log lacks."""
        return {cotangent: numbers.short_text(value) for cotangent, value in running_sums(self._log, self._run)}

    def at_the_end(self, tensors: Iterable[int]) -> str:
        """The line when the run is done."""
        return self.at(tensors, len(self._run.steps))

    def at(self, tensors: Iterable[int], step: int) -> str:
        """The line on the box of these tensors at a step: of the first whose numbers are known; "" where none is."""
        return next(filter(None, (self._of(tensor, step) for tensor in tensors)), "")

    def _of(self, tensor: int, step: int) -> str:
        """The line of one; "" where no gradient has arrived, or its numbers are not kept."""
        here = [each for each in self._arrivals.get(tensor, ()) if each.step <= step]
        if not here:
            return ""
        cotangent = here[-1].cotangent
        text = self._text(cotangent)
        if text == numbers.NOT_KEPT:
            text = self._sums.get(cotangent, "")
        return f"{MARK}{numbers.written(text)}{'' if here[-1].final else MORE}" if text else ""

    def _text(self, cotangent: int) -> str:
        figure = self._graph.figures.of(cotangent)
        is_few = figure is None or prod(figure.shape) <= numbers.SHOWN_IN_A_ROW
        return numbers.short_text(self._log.value(cotangent) if figure is None or is_few else figure.summary)


def running_sums(log: EventLog, run: Run) -> Iterator[tuple[int, Any]]:
    """The ids and values of running sums of contributions that the log lacks; none where a contribution is not kept.

    PyTorch's engine gives only the whole sum.
    """
    seeds = zip(run.targets, run.seeds, strict=True)
    running = {target: elements_of(log.value(seed)) for target, seed in seeds if seed is not None}
    for step in run.steps:
        for each in step.contributions:
            if each.parts == 1 and each.final:
                continue  # nothing is added to it
            sent, before = elements_of(log.value(each.cotangent)), running.get(each.tensor)
            known = sent is not None and (each.parts == 1 or before is not None)
            with np.errstate(all="ignore"):  # of a gradient that is not finite
                running[each.tensor] = (sent if before is None else before + sent) if known else None
            if each.parts > 1 and known and log.value(each.total) is None:
                yield each.total, running[each.tensor]
