"""Logs of several ranks -> Meetings: the gradients that they brought to a reduction, and what each was left with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tapeviz.diagnosis.ranks.passes import Version
from tapeviz.diagnosis.ranks.rank_log import RankLog

MOST = 1_200
"""Meetings that are found, of the latest passes."""


class Meeting(NamedTuple):
    """A gradient of a parameter, at the reduction to which all ranks have brought theirs.

    Attributes:
        position: where the backward pass began, in the log of the first rank.
        parameter: its name.
        by: the op that reduced it.
        operation: what that made of them, as "mean"; "" where that is not known.
        brought: rank -> the tensor of its own log that arrived there; without ranks that had none.
        left: the tensor that it left on the first rank.
    """

    position: int
    parameter: str
    by: str
    operation: str
    brought: dict[int, int]
    left: int


def meetings(logs: Sequence[RankLog]) -> list[Meeting]:
    """The reductions of the passes that all ranks came to, seen from the first of these."""
    rounds = [*zip(*(log.passes for log in logs), strict=False)]
    found: list[Meeting] = []
    for passes in reversed(rounds):
        own, names = passes[0], logs[0].parameters
        for name in names:
            reductions = own.reductions(name)
            if reductions:
                brought = {
                    log.rank: each.arrived[name] for log, each in zip(logs, passes, strict=True) if name in each.arrived
                }
                found.append(_meeting(own.position, name, reductions[0], brought))
        if len(found) >= MOST:
            break
    return found


def _meeting(position: int, name: str, version: Version, brought: dict[int, int]) -> Meeting:
    op = version.op
    assert op is not None  # a reduction has one
    return Meeting(position, name, op.op, str(version.attributes.get("operation", "")), brought, version.tensor)
