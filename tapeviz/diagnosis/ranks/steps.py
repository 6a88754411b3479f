"""Logs of several ranks -> Findings about steps that not all ranks take, or take with gradients that not all share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from tapeviz.diagnosis.ranks.rank_finding import RankFinding, finding, named, on_ranks, verb
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import OptimizerStepped
from tapeviz.source.places import site_at


def stepped_on_some_ranks(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """After a pass whose gradients all have reduced, the optimizer of some ranks steps, and that of others does not."""
    common = [name for name in logs[0].parameters if not any(name in log.shared_out for log in logs)]
    turns = min(len(log.passes) for log in logs) - 1  # after the last pass of all nobody knows what was to come
    for turn in range(turns):
        of_pass = [log.passes[turn] for log in logs]
        names = [
            name
            for name in common
            if logs[0].parameters[name] not in logs[0].averaged and all(each.reductions(name) for each in of_pass)
        ]
        idle = [log for log in logs if log.passes[turn].stepped.isdisjoint(names)]
        if names and 0 < len(idle) < len(logs):
            yield _stepped_on_some(logs, turn, idle, names)
            return


def _stepped_on_some(logs: Sequence[RankLog], turn: int, idle: Sequence[RankLog], names: list[str]) -> RankFinding:
    active = [log for log in logs if log not in idle]
    steps = active[0].log.of_kind(OptimizerStepped)
    position = next(at for at in steps if at > active[0].passes[turn].position)
    return finding(
        "stepped_on_some_ranks",
        active[0],
        position,
        f"after pass {turn + 1} the optimizer steps at {words(site_at(active[0].log, position))} on "
        f"{on_ranks(active)}, and not on {on_ranks(idle)}, though the gradient of {named(names)} was reduced over all: "
        "the ranks have other parameters from there on.",
        "Step on all ranks or on none: decide by what all know, as the reduced gradient, or a loss that is reduced.",
        severity="error",
        source=active[0].parameters[names[0]],
        others=[*active[1:], *idle],
    )


def sharing(logs: Sequence[RankLog], name: str, turn: int) -> list[list[int]]:
    """The positions of the ranks that reduce a gradient together in a pass, group by group."""
    groups: defaultdict[object, list[int]] = defaultdict(list)
    for at, log in enumerate(logs):
        for each in log.passes[turn].reductions(name)[:1]:
            groups[each.attributes.get("group")].append(at)
    return list(groups.values())


def stepped_early(log: RankLog, turn: int, name: str) -> int | None:
    """Where an optimizer steps after a pass, and ahead of the reduction of a gradient; None where it does not."""
    of, tensor = log.passes[turn], log.parameters[name]
    reduced = of.reductions(name)[:1]
    steps = log.log.of_kind(OptimizerStepped).items()
    after = (at for at, each in steps if of.position < at and tensor in each.parameters)
    return next((at for at in after if reduced and at < reduced[0].position), None)


def reduced_late(logs: Sequence[RankLog], at: int, names: list[str], stepped: int, norms: str) -> RankFinding:
    """The optimizer steps ahead of the reduction of a pass, which is of no use any more; `norms` are where it led."""
    log = logs[0]
    reduction = words(site_at(log.log, log.passes[at].reductions(names[0])[0].position))
    step = words(site_at(log.log, stepped))
    return finding(
        "reduction_missing",
        log,
        stepped,
        f"the optimizer steps at {step} ahead of the reduction of the gradient of {named(names)} at {reduction}: each "
        f"rank steps with its own, and they are apart from pass {at + 1} on.{norms}",
        "Reduce the gradients first, between `backward()` and the step.",
        severity="error",
        source=log.parameters[names[0]],
        others=logs[1:],
    )


def reduced_in_groups(
    logs: Sequence[RankLog], at: int, names: list[str], groups: Sequence[Sequence[int]], norms: str
) -> RankFinding:
    """A gradient is reduced within groups of ranks, and what they started with alike is alike in each group alone."""
    log = logs[0]
    position = log.passes[at].reductions(names[0])[0].position
    apart = " and over ".join(on_ranks([logs[each] for each in group]) for group in groups)
    return finding(
        "reduction_missing",
        log,
        position,
        f"{named(names)} {verb(names, 'starts')} the same on all ranks; the gradient is reduced at "
        f"{words(site_at(log.log, position))} over {apart}, never over all {len(logs)}, and the steps drive these "
        f"groups apart from pass {at + 1} on.{norms}",
        "Reduce over the group of all ranks that have the same parameter; where each group is to have a model of its "
        "own, all is well.",
        source=log.parameters[names[0]],
        others=logs[1:],
    )


RULES = (stepped_on_some_ranks,)
"""Logs of all ranks -> what is wrong with their steps."""
