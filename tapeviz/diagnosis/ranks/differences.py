"""Ranks -> Differences: what each rank did that most did not, and its numbers beside those of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from tapeviz.diagnosis.ranks.passes import Op
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.events.store.ranks import Ranks, ranks_in_words
from tapeviz.events.summary import size_of
from tapeviz.markup.card import note
from tapeviz.markup.table import Toned, grid
from tapeviz.phrases import listed, quoted, side_by_side

FAR = 8.0
"""A number is marked that is so many times as far from the median as half of them are."""
MOST_RANKS = 128
"""Ranks that have a row; of more, the others are counted."""
HEADS = ("passes", "ops", "target", "gradients", "otherwise than most")
Value = TypeVar("Value", bound=Hashable)


@dataclass(frozen=True, slots=True)
class RankRow:
    """One rank.

    Attributes:
        rank: which.
        passes: backward passes that came to their end.
        ops: in the program, up to the first pass.
        target: of the last pass that all ranks came to; its value, or norm.
        gradients: the norm of all that pass found.
        otherwise: ops that it has where most ranks have others, in words.
    """

    rank: int
    passes: int
    ops: int
    target: float | None
    gradients: float | None
    otherwise: tuple[str, ...]


class Differences(Sequence[RankRow]):
    """One row per rank; what most ranks have alike is plain, and what a few have otherwise is set off."""

    def __init__(self, rows: Sequence[RankRow], number: int) -> None:
        self._rows = tuple(rows)
        self._number = number
        self._far = [_far([getattr(each, name) for each in rows]) for name in ("target", "gradients")]

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def _cells(self) -> Iterator[tuple[str, list[Toned]]]:
        passes, ops = (_most([getattr(each, name) for each in self._rows]) for name in ("passes", "ops"))
        for row, *far in zip(self._rows[:MOST_RANKS], *self._far, strict=False):
            counts = [(str(row.passes), row.passes == passes), (str(row.ops), row.ops == ops)]
            values = zip(map(_number, (row.target, row.gradients)), (not each for each in far), strict=True)
            cells = [*counts, *values, (listed(row.otherwise, 3) if row.otherwise else "", not row.otherwise)]
            yield f"rank {row.rank}", [(text, "" if plain else "warning") for text, plain in cells]

    @property
    def _about(self) -> str:
        return f"each rank; its target and the norm of all gradients are of pass {self._number}"

    def __str__(self) -> str:
        marked = ((who, *(text + ("" if tone == "" else " *") for text, tone in cells)) for who, cells in self._cells())
        table = side_by_side([["", *HEADS], *map(list, marked)])
        return "\n".join([f"{self._about}; *: otherwise than most", *table, *self._more()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grid(self._about, HEADS, self._cells()) + "".join(map(note, self._more()))

    def _more(self) -> list[str]:
        left = [each.rank for each in self._rows[MOST_RANKS:]]
        return [f"… and {ranks_in_words(left)}"] if left else []


def differences(ranks: Ranks) -> Differences:
    """What each rank did, beside what most did.

    >>> from tapeviz.events import EventLog
    >>> differences(Ranks({0: EventLog(), 1: EventLog()}))[1].passes
    0
    """
    logs = [RankLog(rank, log) for rank, log in ranks.items()]
    last = min(len(log.passes) for log in logs)
    begun = [[op for at, op in log.ops.items() if at < _first_end(log)] for log in logs]
    otherwise = _otherwise(logs, begun)
    rows = [
        RankRow(log.rank, len(log.passes), len(ops), _target(log, last), _gradients(log, last), tuple(others))
        for log, ops, others in zip(logs, begun, otherwise, strict=True)
    ]
    return Differences(rows, last)


def _first_end(log: RankLog) -> int:
    return log.passes[0].position if log.passes else log.log.length


def _target(log: RankLog, last: int) -> float | None:
    if not last:
        return None
    value = log.value(log.passes[last - 1].target)
    return float(value) if np.shape(value) == () and np.isrealobj(value) and value is not None else size_of(value)


def _gradients(log: RankLog, last: int) -> float | None:
    sizes = [log.size(each) for each in log.passes[last - 1].arrived.values()] if last else []
    known = [each for each in sizes if each is not None]
    return float(np.linalg.norm(known)) if known else None


def _otherwise(logs: Sequence[RankLog], begun: Sequence[Sequence[Op]]) -> Iterator[list[str]]:
    """Of each rank the ops that most ranks do not have: op by op where they have as many, else by how many of a kind."""
    length = _most([len(each) for each in begun])
    alike = [each for each in begun if len(each) == length]
    usual = [_most([each[place].op for each in alike]) for place in range(length)]
    kinds = Counter(usual)
    for log, ops in zip(logs, begun, strict=True):
        if len(ops) == length:
            places = [place for place, op in enumerate(ops) if op.op != usual[place]]
            told = ((f"op {place + 1}{_line(log, ops[place])}", ops[place].op, usual[place]) for place in places)
            yield [f"{where}: {quoted(own)}, not {quoted(other)}" for where, own, other in told]
        else:
            counts = Counter(op.op for op in ops)
            others = (kind for kind in counts | kinds if counts[kind] != kinds[kind])
            yield [f"{counts[kind]} of {quoted(kind)}, not {kinds[kind]}" for kind in others]


def _line(log: RankLog, op: Op) -> str:
    return "" if op.site is None else f" (line {log.log.sites[op.site].line})"


def _most(values: Sequence[Value]) -> Value:
    """The value that most have."""
    return Counter(values).most_common(1)[0][0]


def _far(values: Sequence[float | None]) -> list[bool]:
    """Which numbers stand apart from the others: those that are not finite, unknown, or far from the median."""
    known = np.array([each for each in values if each is not None and np.isfinite(each)])
    if not known.size:
        return [False] * len(values)
    median = float(np.median(known))
    spread = float(np.median(np.abs(known - median)))
    return [
        each is None or not np.isfinite(each) or (len(known) > 2 and abs(each - median) > FAR * spread) for each in values
    ]


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4g}"
