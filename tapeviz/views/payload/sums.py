"""Reading -> running sums of contributions that its log lacks, since PyTorch's engine gives only the whole sum."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tapeviz.events.summary import elements_of
from tapeviz.replay import Run
from tapeviz.views.reading import Reading


def running_sums(reading: Reading, run: Run) -> Iterator[tuple[int, Any]]:
    """The ids of such sums and their values, one after the other; none where a contribution itself is not kept."""
    value = reading.log.value
    seeds = zip(run.targets, run.seeds, strict=True)
    running = {target: elements_of(value(seed)) for target, seed in seeds if seed is not None}
    for step in run.steps:
        for each in step.contributions:
            sent, before = elements_of(value(each.cotangent)), running.get(each.tensor)
            known = sent is not None and (each.parts == 1 or before is not None)
            running[each.tensor] = (sent if before is None else before + sent) if known else None
            if each.parts > 1 and known and value(each.total) is None:
                yield each.total, running[each.tensor]
