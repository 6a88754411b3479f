"""Ranks -> Shared: what all of them did, as one of them did it, and how they differ in each part of it."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from tapeviz.diagnosis.ranks.counterpart import Counterpart
from tapeviz.diagnosis.ranks.digest import alike
from tapeviz.diagnosis.ranks.kinds_of_difference import Difference, few, in_numbers, worst
from tapeviz.diagnosis.ranks.meetings import Meeting, meetings
from tapeviz.diagnosis.ranks.numbers_apart import numbers_apart
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.diagnosis.ranks.spread import Spread, SpreadRow
from tapeviz.events.store.ranks import Ranks


@dataclass(frozen=True)
class Shared:
    """What ranks have in common; positions and tensors are those of the base's log.

    Attributes:
        base: the rank as which it is drawn: the first of those that most did as.
        counterparts: what each rank did beside that.
        ops: position of an op -> how the ranks differ in it; without those of which nothing is known.
        leaves: tensor that no op made -> the same.
        meetings: the gradients that a reduction has made, in the passes that all ranks came to.
    """

    base: RankLog
    counterparts: Sequence[Counterpart]
    ops: Mapping[int, Difference]
    leaves: Mapping[int, Difference]
    meetings: Sequence[Meeting]

    @property
    def others(self) -> list[int]:
        """The ranks that did something else altogether, and are compared in nothing."""
        return [each.log.rank for each in self.counterparts if not each.is_alike]

    def position(self, rank: int, position: int) -> int | None:
        """Where the base did what a rank did at a position of its log; None where it did not."""
        if rank == self.base.rank:
            return position
        return next((each.places.get(position) for each in self.counterparts if each.log.rank == rank), None)


def shared(ranks: Ranks, over: Spread) -> Shared:
    """What ranks have in common, and how they differ in it; `over` are the norms of their gradients.

    >>> from tapeviz.diagnosis.ranks.spread import spread
    >>> import tapeviz as tv
    >>> def log_of(f):
    ...     with tv.GradientTape() as tape:
    ...         f(tv.Variable(2.0)) * 3.0
    ...     return tape.log
    >>> ranks = Ranks({0: log_of(tv.sin), 1: log_of(tv.sin), 2: log_of(tv.cos)})
    >>> [each.text for each in shared(ranks, spread(ranks)).ops.values()]
    ['rank 2: cos', '1.248 – 2.728']
    """
    logs = [RankLog(rank, log) for rank, log in ranks.items()]
    base = base_of(logs)
    counterparts = [Counterpart(base, log) for log in logs]
    compared = [each for each in counterparts if each.is_alike]
    ops, leaves = _differences(base, compared)
    for row in over:
        tensor = base.parameters.get(row.parameter)
        if tensor is not None:
            found = worst([leaves.get(tensor), *_of_parameter(row, compared)])
            leaves |= {} if found is None else {tensor: found}
    others = [each.log for each in compared if each.log is not base]
    return Shared(base, counterparts, ops, leaves, meetings([base, *others]))


def base_of(logs: Sequence[RankLog]) -> RankLog:
    """The first of those that most ranks did as."""
    return max(alike(logs), key=len)[0]


def _differences(
    base: RankLog, counterparts: Sequence[Counterpart]
) -> tuple[dict[int, Difference], dict[int, Difference]]:
    """Position of an op -> how the ranks differ in it; and tensor that no op made -> the same."""
    made = {each for op in base.ops.values() for each in op.outputs}
    read = dict.fromkeys(each for op in base.ops.values() for each in op.inputs if each not in made)
    leaves = [each for each in read if base.log.tensors[each].role != "cotangent"]
    results = [op.outputs[0] for op in base.ops.values() if op.outputs]
    numbers = _in_numbers(counterparts, [*results, *leaves])
    done = _Done(base, counterparts)
    found = {
        at: worst([*done.differences(at), *(numbers.get(each) for each in op.outputs[:1])])
        for at, op in base.ops.items()
    }
    return {at: each for at, each in found.items() if each}, {each: numbers[each] for each in leaves if each in numbers}


def _in_numbers(counterparts: Sequence[Counterpart], tensors: Sequence[int]) -> dict[int, Difference]:
    """Tensor -> how the ranks differ in its norm, where several have one."""
    apart = numbers_apart([each.norms(tensors) for each in counterparts])
    found: dict[int, Difference] = {}
    ends = zip(tensors, apart.known.tolist(), apart.least.tolist(), apart.greatest.tolist(), strict=True)
    for tensor, known, least, greatest in ends:
        if known > 1 and least <= greatest:
            found[tensor] = in_numbers(least, greatest)
    for at in np.flatnonzero(apart.far.any(axis=0)).tolist():
        far = [index for index, is_far in enumerate(apart.far[:, at].tolist()) if is_far]
        ranks = tuple([counterparts[index].log.rank for index in far])
        own = f"{few(ranks)}: {apart.numbers[far[0], at]:.4g}" if len(far) == 1 else f"{few(ranks)} far off"
        found[tensors[at]] = Difference("far", ranks, f"{own}, else {apart.median[at]:.4g}", 1.0)
    return found


class _Done:
    """What each rank did in place of each op of the base."""

    def __init__(self, base: RankLog, counterparts: Sequence[Counterpart]) -> None:
        self._base = base
        self._counterparts = counterparts
        self._instead: dict[int, dict[int, str | None]] = {}
        self._also: dict[int, dict[int, str]] = {}
        for each in counterparts:
            for position, op in each.instead.items():
                self._instead.setdefault(position, {})[each.log.rank] = op
            for position, ops in each.also.items():
                self._also.setdefault(position, {})[each.log.rank] = ops[0]
        self._ends = sorted((each.end, each.log.rank) for each in counterparts)
        self._ended = [_ended([rank for _, rank in self._ends[:count]]) for count in range(len(counterparts) + 1)]

    def differences(self, position: int) -> Iterator[Difference | None]:
        """What some do otherwise at a position, or do no more."""
        if position in self._instead:
            yield self._otherwise(position, self._instead[position])
        if position in self._also:
            also = self._also[position]
            ranks = tuple(also)
            yield Difference("otherwise", ranks, f"{few(ranks)}: also {also[ranks[0]]}")
        yield self._ended[bisect_right(self._ends, position, key=itemgetter(0))]

    def _otherwise(self, position: int, instead: Mapping[int, str | None]) -> Difference:
        own = self._base.ops[position].op
        there = [each.log.rank for each in self._counterparts if position < each.end]
        usual, count = Counter(instead.get(rank, own) for rank in there).most_common(1)[0]
        if usual != own and 2 * count > len(there):
            ranks = tuple([rank for rank in there if rank not in instead])
            return Difference("otherwise", ranks, f"{few(ranks)}: {own}, else {usual or 'none'}")
        ranks = tuple(instead)
        op = instead[ranks[0]]
        return Difference("otherwise", ranks, f"not on {few(ranks)}" if op is None else f"{few(ranks)}: {op}")


def _ended(ranks: Sequence[int]) -> Difference | None:
    return Difference("ended", tuple(sorted(ranks)), f"not on {few(ranks)}") if ranks else None


def _of_parameter(row: SpreadRow, counterparts: Sequence[Counterpart]) -> Iterator[Difference]:
    """How ranks differ in a parameter and in its gradient, of those that are compared."""
    logs = [each.log for each in counterparts]
    ranks = {log.rank for log in logs}
    lacking = tuple([log.rank for log in logs if row.parameter not in log.parameters])
    missing = tuple([rank for rank in row.missing if rank in ranks])
    if lacking:
        yield Difference("otherwise", lacking, f"not on {few(lacking)}")
    elif missing and len(missing) < len(ranks):
        yield Difference("otherwise", missing, f"no gradient on {few(missing)}")
    for spread, what in ((row.arrived, "∇ "), (row.stored, ".grad ")):
        if spread.least and spread.greatest and len(spread.by_rank) > 1:
            yield in_numbers(spread.least[1], spread.greatest[1], what)
