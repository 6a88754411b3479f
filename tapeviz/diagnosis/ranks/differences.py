"""Ranks -> RankDifferences: what each rank did that most did not, and its numbers beside those of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from tapeviz.diagnosis.ranks.numbers_apart import numbers_apart
from tapeviz.diagnosis.ranks.passes import Op
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.events.store.ranks import Ranks
from tapeviz.events.summary import size_of
from tapeviz.markup.card import note
from tapeviz.markup.table import Toned, grid
from tapeviz.markup.theme import Tone
from tapeviz.phrases import counted, listed, quoted, side_by_side

MOST_RANKS = 128
"""Ranks that have a row; of more, the others are counted."""
PLAIN: Tone = ""
WARNING: Tone = "warning"
HEADS = ("passes", "ops", "target", "gradients", "otherwise than most")
Value = TypeVar("Value", bound=Hashable)


@dataclass(frozen=True, slots=True)
class RankRow:
    """What one rank did, and its numbers beside those of the others.

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


class RankDifferences(Sequence[RankRow]):
    """One row per rank; what a few have otherwise than most is set off, and stands first."""

    def __init__(self, rows: Sequence[RankRow], number: int) -> None:
        self._rows = tuple(rows)
        self._number = number

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def _cells(self) -> list[tuple[str, list[Toned]]]:
        """Each rank with its cells, those with the most that is set off first."""
        passes, ops = (_most([getattr(each, name) for each in self._rows]) for name in ("passes", "ops"))
        target, gradients = (_far([getattr(each, name) for each in self._rows]) for name in ("target", "gradients"))
        told = []
        for at, row in enumerate(self._rows):
            cells = (
                (str(row.passes), row.passes != passes),
                (str(row.ops), row.ops != ops),
                (_number(row.target), target[at]),
                (_number(row.gradients), gradients[at]),
                (listed(row.otherwise, 3) if row.otherwise else "", bool(row.otherwise)),
            )
            told.append(
                (f"rank {row.rank}", [(f"{text} *", WARNING) if apart else (text, PLAIN) for text, apart in cells])
            )
        return sorted(told, key=lambda each: -sum(tone == WARNING for _, tone in each[1]))

    @property
    def _about(self) -> str:
        return f"each rank; target, and norm of all gradients, of pass {self._number}; *: otherwise than most"

    def __str__(self) -> str:
        told = ([who, *(text for text, _ in cells)] for who, cells in self._cells()[:MOST_RANKS])
        return "\n".join([self._about, *side_by_side([["", *HEADS], *told]), *self._more()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grid(self._about, HEADS, self._cells()[:MOST_RANKS]) + "".join(map(note, self._more()))

    def _more(self) -> list[str]:
        return [f"… and {counted(len(self) - MOST_RANKS, 'more rank')}"] if len(self) > MOST_RANKS else []


def differences(ranks: Ranks) -> RankDifferences:
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
    return RankDifferences(rows, last)


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
    """Of each rank the ops that most do not have: op by op where they have as many, else by how many of a kind."""
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
    apart = numbers_apart([[each] for each in values])
    is_known = np.isfinite(apart.median[0])
    return [bool(is_far or (is_known and each is None)) for each, is_far in zip(values, apart.far[:, 0], strict=True)]


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4g}"
