"""Reading of a rank, Shared -> what the payload says of all ranks: how they differ in each box, and where they meet.

What a rank and another one hand each other is told of any rank that is drawn, all else of the one as which all are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import Any, NamedTuple

from tapeviz.diagnosis import Finding
from tapeviz.diagnosis.ranks.crossings import crossings
from tapeviz.diagnosis.ranks.kinds_of_difference import Difference
from tapeviz.diagnosis.ranks.messages import RECEIVE, SEND, End, returns
from tapeviz.diagnosis.ranks.rank_finding import RankFinding, on_ranks
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.diagnosis.ranks.shared import Shared
from tapeviz.events import VjpApplied
from tapeviz.events.store.ranks import ranks_in_words
from tapeviz.phrases import quoted
from tapeviz.views.payload.findings import finding_card
from tapeviz.views.payload.sites import NumberedSites
from tapeviz.views.reading import Reading
from tapeviz.views.words import numbers

MOST_SHARES = 8
"""Ranks whose gradients are told one by one where they meet; of more, the least, the mean and the greatest."""
IN_WHAT_IS_DONE = ("otherwise", "ended")
"""Differences that say nothing of numbers."""


class OverRanks(NamedTuple):
    """What a payload is to say of other ranks: what all have in common, and what is `found` in all; the `rank` that the
    log is of, None for that as which all are drawn."""

    shared: Shared
    found: Sequence[Finding] = ()
    rank: int | None = None


def over_ranks_cards(reading: Reading, over: OverRanks, sites: NumberedSites, values: bool) -> dict[str, Any]:
    """The parts of the payload that tell of other ranks."""
    shared = over.shared
    if over.rank is not None:
        return {"meetings": [*_returned(reading, shared, over.rank)] if values else []}
    meetings = _meetings(reading, shared), _on_the_way(reading, shared), _returned(reading, shared, shared.base.rank)
    return {
        "meetings": [each for some in meetings for each in some] if values else [],
        "ranks": {
            "remark": _remark(shared),
            "boxes": [_difference(shared, box.op, box.tensor, values) for box in reading.sketch.boxes],
            "findings": [_finding_card(reading, shared, each, sites) for each in over.found],
        },
    }


def _remark(shared: Shared) -> str:
    others = shared.others
    apart = f" {ranks_in_words(others).capitalize()} ran something else, and cannot be compared." if others else ""
    return f"What all did, drawn as {on_ranks([shared.base])} did it.{apart}"


def _difference(shared: Shared, op: int | None, tensor: int | None, values: bool) -> dict[str, Any] | None:
    found = shared.leaves.get(-1 if tensor is None else tensor) if op is None else shared.ops.get(op)
    return None if found is None or not (values or found.kind in IN_WHAT_IS_DONE) else _difference_card(found)


def _difference_card(difference: Difference) -> dict[str, Any]:
    return {**difference._asdict(), "ranks": list(difference.ranks), "level": round(difference.level, 2)}


def _finding_card(reading: Reading, shared: Shared, finding: Finding, sites: NumberedSites) -> dict[str, Any]:
    """A finding, with the boxes that stand where it is on its own rank, and those of the parameters that it names."""
    rank = finding.ranks[0] if isinstance(finding, RankFinding) else shared.base.rank
    evidence = [shared.position(rank, each) for each in finding.evidence]
    card = finding_card(reading, [replace(finding, evidence=tuple([at for at in evidence if at is not None]))], sites)
    of = shared.base.parameters
    named = [tensor for name, tensor in of.items() if quoted(name) in finding.message]
    boxes = (reading.sketch.boxes[box].id for tensor in named for box in reading.sketch.boxes_of.get(tensor, ()))
    return card | {"nodes": [*dict.fromkeys([*card["nodes"], *boxes])]}


def _meetings(reading: Reading, shared: Shared) -> Iterator[dict[str, Any]]:
    runs = _runs(reading)
    logs = _logs(shared)
    for each in shared.meetings:
        if each.position in runs:
            yield {
                "run": runs[each.position],
                "tensor": shared.base.parameters[each.parameter],
                "by": f"{each.by} ({each.operation})" if each.operation else each.by,
                "shares": [*_shares(each.brought, logs)],
                "left": _text(shared.base, each.left),
            }


def _on_the_way(reading: Reading, shared: Shared) -> Iterator[dict[str, Any]]:
    """The gradients that meet in a collective's step: what came to it on each rank of its group, and what it gave."""
    base = shared.base
    of_ops = {each.positions[base.rank]: each for each in crossings(shared) if base.rank in each.positions}
    met = [(index, step) for index, run in enumerate(reading.runs) for step in run.steps if step.op in of_ops]
    logs = _logs(shared) if met else {}
    steps = {rank: {each.op: each for each in log.log.of_kind(VjpApplied).values()} for rank, log in logs.items()}
    told = {each.parameter for each in shared.meetings}
    for index, step in met:
        op = of_ops[step.op]
        there = {rank: steps[rank].get(at) for rank, at in op.positions.items()}
        brought = {rank: each.upstream[0] for rank, each in there.items() if each is not None and each.upstream}
        known = {rank: tensor for rank, tensor in brought.items() if tensor is not None}
        about = dict(base.ops[step.op].attrs)
        how = about.get("operation", about.get("collective"))
        for each in step.contributions:
            if len(known) > 1 and each.final and base.log.tensors[each.tensor].name not in told:
                yield {
                    "run": index,
                    "tensor": each.tensor,
                    "by": f"{op.op} ({how})" if how else op.op,
                    "shares": [*_shares(known, logs)],
                    "left": _text(base, each.cotangent),
                }


def _returned(reading: Reading, shared: Shared, rank: int) -> Iterator[dict[str, Any]]:
    """The gradients that the rank sent back to others, and those that it got back and goes on with, by their runs."""
    runs, logs = _runs(reading), _logs(shared)
    brought: dict[End, dict[int, int]] = {}
    for source, there, target, here in returns([*logs.values()]):
        if rank == source:
            brought.setdefault(there, {})[target] = here.gradient
        elif rank == target and here.position in runs:
            yield {
                "run": runs[here.position],
                "tensor": here.tensor,
                "by": f"{SEND} to rank {source}",
                "shares": [*_shares({rank: here.gradient}, logs)],
                "left": _text(logs[source], there.gradient),
            }
    for there, shares in brought.items():
        if there.position in runs:
            yield {
                "run": runs[there.position],
                "tensor": there.gradient,
                "by": RECEIVE,
                "shares": [*_shares(shares, logs)],
                "left": _text(logs[rank], there.gradient),
            }


def _runs(reading: Reading) -> dict[int, int]:
    """The runs by where they began."""
    return {run.position: index for index, run in enumerate(reading.runs)}


def _logs(shared: Shared) -> dict[int, RankLog]:
    return {each.log.rank: each.log for each in shared.counterparts}


def _shares(brought: dict[int, int], logs: dict[int, RankLog]) -> Iterator[dict[str, str]]:
    """What came together, in words."""
    if len(brought) <= MOST_SHARES:
        for rank, tensor in brought.items():
            yield {"of": f"rank {rank}", "text": _text(logs[rank], tensor)}
        return
    sizes = {rank: size for rank, tensor in brought.items() if (size := logs[rank].size(tensor)) is not None}
    if sizes:
        least, greatest = (find(sizes, key=sizes.__getitem__) for find in (min, max))
        yield {"of": f"least, rank {least}", "text": _norm(sizes[least])}
        yield {"of": f"mean of {len(sizes)}", "text": _norm(sum(sizes.values()) / len(sizes))}
        yield {"of": f"greatest, rank {greatest}", "text": _norm(sizes[greatest])}


def _text(log: RankLog, tensor: int) -> str:
    """A gradient on one line: its elements, if they are few, or its norm."""
    row = log.log.tensors[tensor]
    size = log.size(tensor)
    if prod(row.shape) <= numbers.SHOWN_IN_A_ROW or size is None:
        return numbers.short_text(log.value(tensor))
    return _norm(size)


def _norm(size: float) -> str:
    return f"norm {numbers.rounded(size, 4)}"
