"""Logs of several ranks -> Findings about a model that is in training mode on some and in evaluation mode on others.

Each rank evaluates, or one does so for all, and not all go back: their dropout is gone, and their batch norms take the
running statistics, for all passes that follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tapeviz.diagnosis.ranks.passes import Op
from tapeviz.diagnosis.ranks.rank_finding import RankFinding, finding, on_ranks
from tapeviz.diagnosis.ranks.rank_log import Place, RankLog
from tapeviz.diagnosis.wording.places import words
from tapeviz.phrases import quoted
from tapeviz.source.places import site_at


class _Forward(NamedTuple):
    """What led to the target of a pass on one rank: what is in training mode, with a position, and all else."""

    training: dict[Place, int]
    others: frozenset[Place]


class _Turn(NamedTuple):
    """A pass of all ranks: its number, what led to it on each, and what is in training mode on some alone, with the
    ranks on which it is not."""

    number: int
    forwards: Sequence[_Forward]
    idle: dict[Place, list[int]]


def trained_on_some_ranks(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """Ranks whose gradients are reduced run the same lines, and some of these are in training mode on some alone.

    From one pass on to the last: a program may draw for itself, in each pass, whether there is a dropout in it.
    """
    if not any(_is_training(op) for log in logs for op in log.ops.values()):
        return
    turns = [_turn(logs, each) for each in range(min(len(log.passes) for log in logs)) if _is_reduced(logs, each)]
    since = next((at for at, each in enumerate(turns) if each.idle), None)
    if since is None:
        return
    first, *later = turns[since:]
    lasting = [place for place, idle in first.idle.items() if all(each.idle.get(place) == idle for each in later)]
    told = [place for place in lasting if later or any(place in first.forwards[at].others for at in first.idle[place])]
    if told:
        yield _trained_on_some(logs, first, told)


def _is_reduced(logs: Sequence[RankLog], number: int) -> bool:
    """Whether all ranks reduce gradients of a pass."""
    return all(any(map(of.reductions, of.versions)) for of in (log.passes[number] for log in logs))


def _turn(logs: Sequence[RankLog], number: int) -> _Turn:
    forwards = [_forward(log, log.passes[number].target) for log in logs]
    training = frozenset().union(*(each.training for each in forwards))
    if len({each.others - training for each in forwards}) > 1:  # they have run different lines
        return _Turn(number, forwards, {})
    idle = {place: [at for at, each in enumerate(forwards) if place not in each.training] for place in training}
    return _Turn(number, forwards, {place: ranks for place, ranks in idle.items() if ranks})


def _forward(log: RankLog, target: int) -> _Forward:
    """What led to a tensor."""
    training: dict[Place, int] = {}
    others: set[Place] = set()
    seen, left = {target}, [target]
    while left:
        maker = log.made_at(left.pop())
        if maker is None:
            continue
        position, op = maker
        place = log.place(op)
        if _is_training(op):
            training[place] = min(position, training.get(place, position))
        else:
            others.add(place)
        new = set(op.inputs) - seen
        seen |= new
        left += new
    return _Forward(training, frozenset(others))


def _is_training(op: Op) -> bool:
    """Whether an op does what it does in training alone: it draws at random, or takes the statistics of a batch."""
    return any((name == "training" and told is True) or (name == "dropout_p" and told) for name, told in op.attrs)


def _trained_on_some(logs: Sequence[RankLog], turn: _Turn, places: Sequence[Place]) -> RankFinding:
    rank = {place: next(at for at, each in enumerate(turn.forwards) if place in each.training) for place in places}
    place = min(places, key=lambda each: turn.forwards[rank[each]].training[each])
    idle = [logs[at] for at in turn.idle[place]]
    log, *active = [each for each in logs if each not in idle]
    position = turn.forwards[rank[place]].training[place]
    more = f", with {len(places) - 1} more," if len(places) > 1 else ""
    return finding(
        "trained_on_some_ranks",
        log,
        position,
        f"from pass {turn.number + 1} on {quoted(place[0])} at {words(site_at(log.log, position))}{more} is in "
        f"training mode on {on_ranks([log, *active])}, and in evaluation mode on {on_ranks(idle)}, where the same "
        "lines ran: their gradients are reduced together, and are of two models.",
        "Call `model.train()` on all ranks ahead of the passes, also where one alone has called `model.eval()`.",
        others=[*active, *idle],
    )


RULES = (trained_on_some_ranks,)
"""Logs of all ranks -> what is wrong with the modes of their models."""
