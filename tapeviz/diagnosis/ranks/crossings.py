"""Shared -> Crossings: where ranks meet, in the ops that groups of them compute together and in what one sends another.

Ranks of one program come to the same collective at the same place, each in its own group of the mesh: these groups are
told apart by what each op says of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from tapeviz.diagnosis.ranks.messages import RECEIVE, SEND, messages
from tapeviz.diagnosis.ranks.passes import Op, number
from tapeviz.diagnosis.ranks.shared import Shared


class Crossing(NamedTuple):
    """A place where ranks meet: `op`, and of each rank the position in its own log."""

    op: str
    positions: dict[int, int]


def crossings(shared: Shared) -> list[Crossing]:
    """All of them, those that the base takes part in, or has counterparts of, in its order."""
    sent = messages([each.log for each in shared.counterparts])
    return [*_together(shared), *(Crossing(SEND, {e.source: e.sent, e.target: e.received}) for e in sent)]


def _together(shared: Shared) -> Iterator[Crossing]:
    """The collectives of each group."""
    common = [(at, op) for at, op in shared.base.collectives if op.op not in (SEND, RECEIVE)]
    alike = [each for each in shared.counterparts if common and each.is_alike]
    own = [(each, {base: there for there, base in each.places.items()}) for each in alike]
    for position, op in common:
        groups: defaultdict[object, dict[int, int]] = defaultdict(dict)
        for each, places in own:
            there = places.get(position)
            if there is not None:
                groups[_group(each.log.ops[there])][each.log.rank] = there
        yield from (Crossing(op.op, members) for members in groups.values() if len(members) > 1)


def _group(op: Op) -> object:
    """What tells the ranks that compute an op together from others; all are one group where copies meet, too."""
    return op.op, None if number(op, "replicas") > 1 else dict(op.attrs).get("group")
