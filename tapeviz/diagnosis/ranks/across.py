"""Ranks -> Findings: what the logs show together, and then what is wrong on each rank."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import fields, replace

from tapeviz.diagnosis.finding import SEVERITIES, Coverage, Finding, Findings
from tapeviz.diagnosis.ranks import (
    buffers,
    counts,
    cuts,
    factors,
    modes,
    parameters,
    reductions,
    replicas,
    shards,
    steps,
)
from tapeviz.diagnosis.ranks.digest import alike
from tapeviz.diagnosis.ranks.rank_finding import RankFinding, on_ranks
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.events import EventLog
from tapeviz.events.store.ranks import Ranks, ranks_in_words

RULES: tuple[Callable[[Sequence[RankLog]], Iterator[RankFinding]], ...] = (
    *counts.RULES,
    *factors.RULES,
    *reductions.RULES,
    *steps.RULES,
    *parameters.RULES,
    *shards.RULES,
    *replicas.RULES,
    *buffers.RULES,
    *modes.RULES,
    *cuts.RULES,
)
"""Logs of all ranks -> what no log shows alone."""
OUTCOMES = {
    "unequal_replicas": frozenset({"outside_of_units", "reduction_missing"}),
    "stepped_on_some_ranks": frozenset({"drifted_apart"}),
}
"""A cause -> what it looks like as well, where parameters part by it."""


def across(ranks: Ranks, diagnose: Callable[[EventLog], Findings]) -> Findings:
    """Every problem of a program that ran in several processes: those of all first, then those of one rank."""
    logs = [RankLog(rank, log) for rank, log in ranks.items()]
    alone = list(_alone(logs, diagnose))
    shared = together(logs)
    spread = any(each.cause == "spread_by_reduction" for each in shared)
    found = [*shared, *(each for each in _of_ranks(alone, len(logs)) if not (spread and each.cause == "nan_in_input"))]
    checked = "; ".join(filter(None, dict.fromkeys(each.coverage.checked for _, each in alone)))
    stand_ins = _stand_ins(alone)
    coverage = Coverage("; ".join(filter(None, [str(ranks), checked, stand_ins])) if checked else "", unseen=stand_ins)
    # A tensor has another id in each log.
    return Findings([replace(each, source=None, target=None) for each in found], {}, coverage)


def _alone(
    logs: Sequence[RankLog], diagnose: Callable[[EventLog], Findings]
) -> Iterator[tuple[Sequence[RankLog], Findings]]:
    """Ranks that did the same, and what is found of the first one alone, which they all get."""
    for some in alike(logs):
        found = diagnose(some[0].log)
        for log in some:
            log.findings = found
        yield some, found


def _stand_ins(alone: Sequence[tuple[Sequence[RankLog], Findings]]) -> str:
    """Which ranks were not looked at by themselves; "" where all were."""
    several = [some for some, _ in alone if len(some) > 1]
    told = (f"{on_ranks(some[:1])} stands for {on_ranks(some[1:])}" for some in several)
    return f"{', '.join(told)}: the same ops ran at the same lines" if several else ""


def together(logs: Sequence[RankLog]) -> list[RankFinding]:
    """What the logs show only together, worst first."""
    found = [each for rule in RULES for each in rule(logs)] if len(logs) > 1 else []
    told = frozenset[str]().union(*(OUTCOMES.get(each.cause, ()) for each in found))
    found = [each for each in found if each.cause not in told]
    return sorted(found, key=lambda each: SEVERITIES.index(each.severity))


def _of_ranks(alone: Sequence[tuple[Sequence[RankLog], Findings]], count: int) -> Iterator[RankFinding]:
    """The findings of the logs, each once, with the ranks that it holds for."""
    on: dict[Hashable, list[tuple[Sequence[RankLog], Finding]]] = {}
    for some, found in alone:
        for group in found.groups():
            first = group[0]
            key = first.cause, first.symptom, first.site and (first.site.filename, first.site.line), first.message
            on.setdefault(key, []).append((some, first))
    for found_on in on.values():
        first = found_on[0][1]
        numbers = sorted(log.rank for some, _ in found_on for log in some)
        where = "all ranks" if len(numbers) == count else ranks_in_words(numbers)
        if len(numbers) > len(found_on) and _NUMBER.search(first.message):
            where += f" (numbers of {on_ranks(found_on[0][0][:1])})"
        message = f"On {where}: {first.message}"
        told = {each.name: getattr(first, each.name) for each in fields(Finding)}
        yield RankFinding(**told | {"message": message, "because": message}, ranks=tuple(numbers))


_NUMBER = re.compile(r"\d\.\d|\de[-+]?\d")
"""What a message says of values, which are others on each rank."""
