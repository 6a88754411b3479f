"""Logs of several ranks -> Findings about gradients that end at a collective, where another path hides it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tapeviz.diagnosis.ranks.passes import Op, number
from tapeviz.diagnosis.ranks.rank_finding import RankFinding, finding
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import OpRecorded
from tapeviz.phrases import quoted
from tapeviz.source.places import site_at

GATHER = "dist.all_gather"


def cut_by_a_gather(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """A target is made of what a rank has gathered of itself, and the gradient of that path ends at the gathering."""
    log = logs[0]
    for position, op in log.collectives:
        if op.op == GATHER and _is_cut(log, op):
            of = next((each for each in log.passes if each.position > position), None)
            own = _own(log, op)
            if of is not None and own and _reaches(log, own, position, of.position, of.target):
                yield _cut(logs, position, op, of.target)
                return


def _is_cut(log: RankLog, op: Op) -> bool:
    """Whether a gathering is given what wants a gradient, though recording is on, and no finding has told so."""
    paused = any(reason == "paused" for _, reason in op.tapes)
    told = any(each.cause == "nondifferentiable_op" for each in log.findings)
    return isinstance(log.maker(op.inputs[0]), OpRecorded) and not (isinstance(op, OpRecorded) or paused or told)


def _own(log: RankLog, op: Op) -> tuple[int, ...]:
    """What a rank has gathered of itself; where parts are in one tensor, or the group is none of all, nobody knows."""
    of_all = dict(op.attrs).get("group") == "world" and len(op.outputs) == number(op, "ranks")
    return op.outputs[log.rank : log.rank + 1] if of_all else ()


def _reaches(log: RankLog, tensors: Sequence[int], start: int, end: int, target: int) -> bool:
    reached = set(tensors)
    for _, op in log.between(start, end):
        if not reached.isdisjoint(op.inputs):
            reached.update(op.outputs)
    return target in reached


def _cut(logs: Sequence[RankLog], position: int, op: Op, target: int) -> RankFinding:
    log = logs[0]
    name, loss = (log.log.tensors[each].name for each in (op.inputs[0], target))
    given = quoted(name) if name else "what it is given"
    return finding(
        "cut_by_a_gather",
        log,
        position,
        f"{quoted(op.op)} at {words(site_at(log.log, position))} has no derivative, and "
        f"{quoted(loss) if loss else 'the target'} is made of what each rank gathers of itself there: no gradient "
        f"comes back to {given} by that path, though one arrives by others.",
        "Use `torch.distributed.nn.functional.all_gather`, which has one, or put the rank's own tensor in its place: "
        "`gathered[rank] = z`. Where it is to be a constant, say so: `z.detach()`.",
        others=logs[1:],
    )


RULES = (cut_by_a_gather,)
"""Logs of all ranks -> what is cut between them."""
