"""One rank's log -> its digest: ranks that have the same did the same, and what is found of one holds for all of them.

It has what the program does and what its gradients are, each once: not how often, nor with which numbers. A rank that
takes a step less, or sees other data, has the same digest; one that takes another branch, or finds no gradient for a
parameter, has not.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence

from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.events import (
    BackwardFinished,
    BackwardStarted,
    ErrorRaised,
    FunctionReused,
    GradientCleared,
    GradientRead,
    GradientUnseen,
    LeafCreated,
    OptimizerCreated,
    ReadOut,
    RecordingPaused,
    StateWritten,
    TapeOpened,
    TapeReset,
    Unwatched,
)
from tapeviz.events.types import Attrs, TapeDecisions

TINY, HUGE = 1e-12, 1e12
"""A gradient whose norm is beyond these is told apart, as one of zeros and one that is not finite are."""

OTHER_EVENTS = (
    *(BackwardStarted, ErrorRaised, FunctionReused, GradientCleared, GradientRead, GradientUnseen, LeafCreated),
    *(OptimizerCreated, ReadOut, RecordingPaused, StateWritten, TapeOpened, TapeReset, Unwatched),
)
"""What a program does beside computing."""


def digest(log: RankLog) -> Hashable:
    """What two ranks that did the same have alike; it is found out once of a log."""
    parts = (_ops, _other_events, _gradients, _results)
    return log.log.once("digest", lambda: tuple([frozenset(part(log)) for part in parts]))


def alike(logs: Sequence[RankLog]) -> list[list[RankLog]]:
    """The logs of ranks that did the same, together."""
    found: dict[Hashable, list[RankLog]] = {}
    for log in logs:
        found.setdefault(digest(log), []).append(log)
    return list(found.values())


def _ops(log: RankLog) -> Iterator[Hashable]:
    """Each op at its line, and what the ops are given by each other."""
    sites, rows = log.log.sites, log.log.tensors
    kinds: dict[tuple[str, int | None, Attrs, TapeDecisions], int] = {}
    made: dict[int, int] = {}
    links: set[tuple[int, int, int | str]] = set()
    for op in log.ops.values():
        kind = kinds.setdefault((op.op, op.site, op.attrs, op.tapes), len(kinds))
        made |= dict.fromkeys(op.outputs, kind)
        for slot, each in enumerate(op.inputs[:MOST_SLOTS]):
            links.add((kind, slot, made[each] if each in made else rows[each].role))
    told = [(name, None if site is None else sites[site], attrs, tapes) for name, site, attrs, tapes in kinds]
    yield from told
    yield from ((told[kind], slot, told[of] if isinstance(of, int) else of) for kind, slot, of in links)


MOST_SLOTS = 8
"""Of an op that takes more, as one that reduces all gradients, the first ones stand for all."""


def _other_events(log: RankLog) -> Iterator[Hashable]:
    """Everything else that it does, at its lines."""
    sites = log.log.sites
    for kind in OTHER_EVENTS:
        for event in log.log.of_kind(kind).values():
            site = getattr(event, "site", None)
            yield kind.__name__, None if site is None else sites[site].line, getattr(event, "how", None)


def _gradients(log: RankLog) -> Iterator[Hashable]:
    """For which parameters passes find gradients, and which of these are odd."""
    for of in log.passes:
        latest = {name: versions[-1].tensor for name, versions in of.versions.items()}
        yield frozenset(of.arrived)
        yield frozenset((name, len(versions)) for name, versions in of.versions.items() if len(versions) > 1)
        for tensors in (of.arrived, latest):
            for name, tensor in tensors.items():
                yield from _oddity(name, log.sizes[tensor])


def _results(log: RankLog) -> Iterator[Hashable]:
    """What calls find that gradients are by other tensors than parameters, and which of these are odd."""
    parameters = set(log.parameters.values())
    runs = {each.run: each.sources for each in log.log.of_kind(BackwardStarted).values()}
    ended = [each for each in log.log.of_kind(BackwardFinished).values() if each.run in runs]
    pairs = [pair for each in ended for pair in zip(runs[each.run], each.gradients, strict=True)]
    found = [(source, got) for source, got in pairs if source not in parameters]
    sizes = iter(log.log.norms([got for _, got in found if got is not None]))
    for source, got in found:
        name = log.log.tensors[source].name
        yield name, got is None
        if got is not None:
            yield from _oddity(name, next(sizes))


def _oddity(name: str | None, size: float | None) -> Iterator[Hashable]:
    """A gradient by its name, if its norm is one that is told apart."""
    if size is None or not math.isfinite(size):
        yield name, str(size)
    elif not TINY < size < HUGE:
        yield name, "zero" if size == 0.0 else "tiny" if size < 1.0 else "huge"
