"""What a rule across ranks has found -> a Finding with its title, its line and its cure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tapeviz.diagnosis.finding import Finding, Severity, Symptom
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.diagnosis.wording.places import once
from tapeviz.events.store.ranks import ranks_in_words
from tapeviz.phrases import listed, quoted
from tapeviz.source.places import site_at

TITLES: dict[str, str] = {
    "unused_on_some_ranks": "A parameter is unused on some ranks",
    "spread_by_reduction": "A gradient that is not finite comes from another rank",
    "reduction_missing": "The gradients of the ranks are not reduced",
    "reduction_doubled": "The gradients of the ranks are reduced twice",
    "sum_for_mean": "The gradient is the sum of the ranks', not their mean",
    "drifted_apart": "A replicated parameter is not the same on all ranks",
    "buffer_drifted_apart": "A replicated buffer is not the same on all ranks",
    "unequal_start": "A replicated parameter does not start with the same numbers",
    "unequal_collectives": "The ranks do not meet in the same collectives",
    "unequal_steps": "The ranks take unequal numbers of steps",
    "local_norm": "A norm is taken of this rank's gradient alone",
    "synchronised_too_often": "Gradients that add up are reduced in every pass",
    "cut_by_a_gather": "A gradient ends where the ranks gather",
    "overflow_in_reduction": "A reduction makes gradients infinite",
    "stepped_on_some_ranks": "The optimizer steps on some ranks alone",
    "trained_on_some_ranks": "A model is in training mode on some ranks alone",
    "frozen_on_some_ranks": "A parameter is frozen on some ranks",
    "equal_data": "The ranks compute the same gradients",
    "divided_twice": "The gradient is divided by the number of ranks twice",
    "outside_of_units": "Parameters are in no unit that the ranks share out",
    "norm_of_a_shard": "A norm is taken of this rank's part alone",
    "clipped_by_a_shard": "Gradients are clipped by the norm of this rank's part",
    "gathered_twice": "The same parts are gathered more often than needed",
    "listed_before_wrapping": "An optimizer has the parameters of before the model was wrapped",
    "unequal_replicas": "What is to be the same on all ranks is not",
    "unequal_counts": "A mean of means over unequal numbers of examples",
}
"""The label of a cause that only the logs of several ranks show -> its title."""


MOST_NAMES = 4
"""Parameters that are listed by name."""


@dataclass(frozen=True, slots=True)
class RankFinding(Finding):
    """A finding about some ranks among several; `because` is what it says, as it is told apart from others by that."""

    ranks: tuple[int, ...] = ()


def finding(
    cause: str,
    on: RankLog,
    position: int | None,
    message: str,
    fix: str,
    *,
    severity: Severity = "warning",
    symptom: Symptom = "wrong",
    source: int | None = None,
    others: Iterable[RankLog] = (),
) -> RankFinding:
    """A finding at a line of one rank's log, about that and `others`; its `source` and evidence are of that log."""
    site = site_at(on.log, position)
    evidence = () if position is None else (position,)
    told = once(message[0].upper() + message[1:], site)
    ranks = tuple(dict.fromkeys([on.rank, *(each.rank for each in others)]))
    return RankFinding(
        cause, symptom, severity, source, None, site, told, fix, evidence, TITLES[cause], because=message, ranks=ranks
    )


def named(parameters: Sequence[str]) -> str:
    """Some parameters, the first ones by name."""
    return listed([quoted(each) for each in parameters], MOST_NAMES)


def verb(parameters: Sequence[str], of_one: str) -> str:
    """What stands behind them, given what does behind a single one.

    >>> verb(["w"], "starts"), verb(["w", "b"], "starts"), verb(["w", "b"], "is")
    ('starts', 'start', 'are')
    """
    irregular = {"is": "are", "has": "have"}
    return of_one if len(parameters) == 1 else irregular.get(of_one, of_one.removesuffix("s"))


def on_ranks(logs: Sequence[RankLog]) -> str:
    """The ranks of some logs in words."""
    return ranks_in_words([each.rank for each in logs])
