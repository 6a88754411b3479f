"""Ranks -> Findings: what the logs show together, and then what is wrong on each rank."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import fields, replace

from tapeviz.diagnosis.finding import SEVERITIES, Coverage, Finding, Findings
from tapeviz.diagnosis.ranks import counts, parameters, reductions, shards
from tapeviz.diagnosis.ranks.rank_finding import RankFinding
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.events import EventLog
from tapeviz.events.store.ranks import Ranks, ranks_in_words

RULES: tuple[Callable[[Sequence[RankLog]], Iterator[RankFinding]], ...] = (
    *counts.RULES,
    *reductions.RULES,
    *parameters.RULES,
    *shards.RULES,
)
"""Logs of all ranks -> what no log shows alone."""


def across(ranks: Ranks, diagnose: Callable[[EventLog], Findings]) -> Findings:
    """Every problem of a program that ran in several processes: those of all first, then those of one rank."""
    alone = {rank: diagnose(log) for rank, log in ranks.items()}
    logs = [RankLog(rank, log, alone[rank]) for rank, log in ranks.items()]
    shared = together(logs)
    spread = any(each.cause == "spread_by_reduction" for each in shared)
    found = [*shared, *(each for each in _of_ranks(alone) if not (spread and each.cause == "nan_in_input"))]
    checked = "; ".join(filter(None, dict.fromkeys(each.coverage.checked for each in alone.values())))
    coverage = Coverage(checked=f"{ranks}; {checked}" if checked else "")
    # A tensor has another id in each log.
    return Findings([replace(each, source=None, target=None) for each in found], {}, coverage)


def together(logs: Sequence[RankLog]) -> list[RankFinding]:
    """What the logs show only together, worst first."""
    found = [each for rule in RULES for each in rule(logs)] if len(logs) > 1 else []
    return sorted(found, key=lambda each: SEVERITIES.index(each.severity))


def _of_ranks(alone: Mapping[int, Findings]) -> Iterator[RankFinding]:
    """The findings of the logs, each once, with the ranks that it holds for."""
    on: dict[Hashable, list[tuple[int, Finding]]] = {}
    for rank, found in alone.items():
        for group in found.groups():
            first = group[0]
            key = first.cause, first.symptom, first.site and (first.site.filename, first.site.line), first.message
            on.setdefault(key, []).append((rank, first))
    for found_on in on.values():
        numbers, first = [rank for rank, _ in found_on], found_on[0][1]
        where = "all ranks" if len(numbers) == len(alone) else ranks_in_words(numbers)
        message = f"On {where}: {first.message}"
        told = {each.name: getattr(first, each.name) for each in fields(Finding)}
        yield RankFinding(**told | {"message": message, "because": message}, ranks=tuple(numbers))
