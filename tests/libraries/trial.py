"""A healthy program in the idiom of a library, and faults that fit it -> what a recording of it is worth.

The program runs alone and in a recording, as it stands; then with a fault that shows, which the diagnosis is to name.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

import tapeviz
from tapeviz.events import EventLog
from tapeviz.graph import build
from tapeviz.replay import runs
from tests.diagnosis.planted.healthy import Healthy
from tests.diagnosis.planted.planting import Pair
from tests.diagnosis.planted.running import executed, plain
from tests.diagnosis.planted.scoring import scored
from tests.diagnosis.planted.symptoms import Numbers, numbers

NO_FAULT = "none fits"
"""What is told where no fault that can be planted shows."""


@dataclass(frozen=True)
class Trial:
    """What came of a program; `error` alone where it, or a recording of it, raised.

    `apart` is the largest difference of a gradient with and without recording, relative to its largest entry; `named`
    the share of the sources that have the program's names; `page` its bytes; `told` the outcome for `fault`; `cost` the
    time of the recorded program by that of the program alone, both after their first run.
    """

    program: str
    ops: int = 0
    apart: float = 0.0
    named: float = 0.0
    page: int = 0
    fault: str = ""
    told: str = NO_FAULT
    cost: float = 0.0
    error: str = ""


def tried(program: Healthy, pairs: Iterable[Pair]) -> Trial:
    """Run a program, and the first of its faults that shows."""
    try:
        alone = plain(program.text)
        with tapeviz.record() as log:
            recorded = numbers(executed(program.text, f"<{program.name}>")["gradients"])
        fault, told = _told(pairs, alone)
        sources = {source for run in runs(log) for source in run.sources}
        return Trial(
            program.name,
            ops=len(build(log).ops),
            apart=_apart(alone, recorded),
            named=float(np.mean([log.tensors[source].name is not None for source in sources])) if sources else 0.0,
            page=_page(log),
            fault=fault,
            told=told,
            cost=_cost(program),
        )
    except Exception as error:
        return Trial(program.name, error=f"{type(error).__name__}: {error}".partition("\n")[0])


def _told(pairs: Iterable[Pair], alone: Numbers) -> tuple[str, str]:
    """The name of the first fault that shows, and what comes of it."""
    for pair in pairs:
        result = scored(pair, alone)
        if result.counts:
            return pair.fault.name, result.outcome
    return "", NO_FAULT


def _apart(alone: Numbers, recorded: Numbers) -> float:
    """Infinite where there is a gradient in one run alone."""
    return max((_difference(gradient, recorded.get(place)) for place, gradient in alone.items()), default=0.0)


def _difference(one: np.ndarray | None, other: np.ndarray | None) -> float:
    if one is None or other is None:
        return 0.0 if one is other else np.inf
    if one.shape != other.shape:
        return np.inf
    return float(np.abs(one - other).max(initial=0.0) / max(np.abs(one).max(initial=0.0), np.finfo(float).tiny))


def _page(log: EventLog) -> int:
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        tapeviz.save_html(log, page)
        return page.stat().st_size


def _cost(program: Healthy) -> float:
    started = perf_counter()
    plain(program.text)
    between = perf_counter()
    with tapeviz.record():
        executed(program.text, f"<{program.name}>")
    return (perf_counter() - between) / (between - started)
