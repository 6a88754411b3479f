"""A parameter that is not the same on all ranks any more, though they step by the same gradient -> what parts it.

Some ranks write into it where others do not, or their optimizers go by other numbers; else that is not known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from tapeviz.diagnosis.ranks.rank_finding import MOST_NAMES, RankFinding, finding, named, on_ranks, verb
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import OptimizerStepped, ParameterUpdated, StateWritten
from tapeviz.phrases import listed
from tapeviz.source.places import site_at


class _Reason(NamedTuple):
    """What parts a parameter, in words, and where it stands in the log of a rank."""

    log: RankLog
    position: int
    words: str


def drifted(logs: Sequence[RankLog], at: int, names: list[str], though: str, norms: str) -> RankFinding:
    """The finding of parameters that part after a pass; `norms` are where it led."""
    position = logs[0].passes[at].position
    line = words(site_at(logs[0].log, position))
    unknown = _Reason(logs[0], position, "something changes a parameter or a gradient on one rank alone")
    reason = _written(logs, at, names[0]) or _stepped_otherwise(logs, at, names[0]) or unknown
    return finding(
        "drifted_apart",
        reason.log,
        reason.position,
        f"{named(names)} {verb(names, 'is')} not the same on all ranks any more after pass {at + 1}, at {line}, though "
        f"{though}: {reason.words}.{norms}",
        "Do after the reduction on every rank the same: the same optimizer, learning rate and clipping.",
        severity="error",
        source=reason.log.parameters[names[0]],
    )


def _written(logs: Sequence[RankLog], at: int, name: str) -> _Reason | None:
    """Some ranks write into a parameter, at a line where others do not."""
    written = [_writes(log, at, name) for log in logs]
    for line in dict.fromkeys(each for places in written for each in places):
        some = [log for log, places in zip(logs, written, strict=True) if line in places]
        if len(some) < len(logs):
            position = written[logs.index(some[0])][line]
            told = words(site_at(some[0].log, position))
            return _Reason(some[0], position, f"{told} writes into it on {on_ranks(some)} alone")
    return None


def _writes(log: RankLog, at: int, name: str) -> dict[tuple[str, int], int]:
    """The lines that write into a parameter around a pass, no steps, and where they do."""
    steps = {each.site for each in log.log.of_kind(OptimizerStepped).values()}
    start = log.passes[at - 1].position if at else 0
    found: dict[tuple[str, int], int] = {}
    for position, each in log.log.of_kind(StateWritten).items():
        is_own = each.tensor == log.parameters[name] and start < position < _end(log, at)
        if is_own and each.site is not None and each.site not in steps:
            site = log.log.sites[each.site]
            found.setdefault((site.filename, site.line), position)
    return found


def _stepped_otherwise(logs: Sequence[RankLog], at: int, name: str) -> _Reason | None:
    """The optimizers change a parameter after a pass by other numbers, as by another learning rate."""
    updates = [_update(log, at, name) for log in logs]
    known = [each for each in updates if each is not None]
    if len(known) < len(logs):
        return None
    for option, _ in known[0][1].options:
        groups: defaultdict[Hashable, list[RankLog]] = defaultdict(list)
        for log, (_, event) in zip(logs, known, strict=True):
            groups[dict(event.options).get(option)].append(log)
        if len(groups) > 1:
            told = [f"`{option}={value}` on {on_ranks(some)}" for value, some in groups.items()]
            line = words(site_at(logs[0].log, known[0][0]))
            return _Reason(logs[0], known[0][0], f"the step at {line} goes by {listed(told, MOST_NAMES)}")
    return None


def _update(log: RankLog, at: int, name: str) -> tuple[int, ParameterUpdated] | None:
    """The first step that changes a parameter after a pass, and ahead of the next one, with its position."""
    updates = log.log.of_kind(ParameterUpdated).items()
    own = ((position, each) for position, each in updates if each.tensor == log.parameters[name])
    return next((each for each in own if log.passes[at].position < each[0] < _end(log, at)), None)


def _end(log: RankLog, at: int) -> int:
    """Where the next pass begins, or the log ends."""
    return log.passes[at + 1].position if at + 1 < len(log.passes) else log.log.length
