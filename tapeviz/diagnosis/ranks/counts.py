"""Logs of several ranks -> Findings about unequal numbers of steps, of collectives and of examples."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from math import prod

import numpy as np

from tapeviz.diagnosis.ranks.passes import BackwardPass, Op
from tapeviz.diagnosis.ranks.rank_finding import RankFinding, finding, on_ranks
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.diagnosis.wording.places import words
from tapeviz.events.summary import elements_of
from tapeviz.phrases import counted, quoted
from tapeviz.source.places import site_at

SLIGHT = 1.25
"""With a count that is so many times as large, or more, elements weigh notably less."""
IGNORED = "ignore_index"
"""The attribute of a loss that has the label which it leaves out."""
Call = tuple[int, Op]
"""A collective and its position in the log."""


def unequal_steps(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """Some ranks took fewer backward passes, or met in fewer collectives: the others wait for them."""
    if any(log.log.begins_late for log in logs):
        return
    short, long = (choose(logs, key=lambda log: len(log.begun)) for choose in (min, max))
    if short.passes and len(short.begun) < len(long.begun) and long.collectives and not _steps_alone(short):
        position = long.begun[len(short.begun)]
        further = [each for each in long.passes if each.position >= position]
        if any(each.reductions(name) for each in further for name in each.versions):
            return  # others took part in these, as `Join` lets them
        yield finding(
            "unequal_steps",
            long,
            position,
            f"rank {short.rank} takes {counted(len(short.begun), 'backward pass')}, and rank {long.rank} "
            f"{len(long.begun)}: from pass {len(short.begun) + 1} on, at {words(site_at(long.log, position))}, its "
            "reductions wait for a rank that has none.",
            "Give all ranks as many batches: `drop_last=True`, a `DistributedSampler`, or `with Join([model]):`.",
            severity="error",
            symptom="error",
            others=[short],
        )
    else:
        yield from _unequal_collectives(logs)


def _steps_alone(log: RankLog) -> bool:
    """Whether a rank takes steps between which it meets no other, as where weights are averaged now and then."""
    met = [at for at, _ in log.collectives]
    ends = [each.position for each in log.passes[1:]]  # of the last one nobody knows what was to come
    return any(
        each.stepped and bisect_left(met, each.position) == bisect_left(met, end)
        for each, end in zip(log.passes, ends, strict=False)
    )


def _unequal_collectives(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    met = [[(at, op) for at, op in log.collectives if dict(op.attrs).get("group") == "world"] for log in logs]
    for index in range(max(map(len, met))):
        calls = [each[index] if index < len(each) else None for each in met]
        kinds = {None if call is None else (call[1].op, dict(call[1].attrs).get("operation")) for call in calls}
        if any(call is not None and call[1].op in ("dist.send", "dist.recv") for call in calls):
            return  # two ranks of many meet there
        if len(kinds) > 1:
            yield _parting(logs, index, calls)
            return


def _parting(logs: Sequence[RankLog], index: int, calls: Sequence[Call | None]) -> RankFinding:
    log, (position, op) = next((log, call) for log, call in zip(logs, calls, strict=True) if call is not None)
    others = [
        _instead(other, each)
        for other, each in zip(logs, calls, strict=True)
        if other is not log and (each is None or each[1].op != op.op)
    ]
    return finding(
        "unequal_collectives",
        log,
        position,
        f"collective {index + 1} of rank {log.rank} is {quoted(op.op)} at {words(site_at(log.log, position))}; "
        f"{', '.join(others) or 'the others reduce otherwise'}: they do not meet.",
        "Call every collective on all ranks of its group, in the same order: none in a branch that some ranks take.",
        severity="error",
        symptom="error",
    )


def _instead(log: RankLog, call: Call | None) -> str:
    """What a rank does in place of a collective."""
    if call is None:
        return f"rank {log.rank} has ended"
    position, op = call
    return f"rank {log.rank} calls {quoted(op.op)} at {words(site_at(log.log, position))}"


def unequal_counts(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """The ranks take means over unequal numbers of elements, and then the mean of these.

    So it is where a loss leaves out labels, or the program those that a mask has not, and divides by its own count.
    """
    for number, passes in enumerate(zip(*(log.passes for log in logs), strict=False)):
        pairs = list(zip(logs, passes, strict=True))
        counts = (list(filter(None, (count(log, each) for log, each in pairs))) for count in (_counted, _elements))
        known = next((each for each in counts if len(each) == len(logs)), [])
        shares = any(each.reductions(name) for each in passes for name in each.versions)
        if not shares or len(set(known)) < 2:
            continue
        most, least = (logs[known.index(each)] for each in (max(known), min(known)))
        is_last = number == min(len(log.passes) for log in logs) - 1
        is_slight = max(known) < SLIGHT * min(known)
        yield finding(
            "unequal_counts",
            most,
            most.passes[number].position,
            f"the target is a mean over {max(known)} elements on {on_ranks([most])} and over {min(known)} on "
            f"{on_ranks([least])}, and the reduction takes the mean of these means: an element of {on_ranks([least])} "
            f"weighs {max(known) / min(known):.3g} times as much.",
            "Divide the sum of each rank by the number of all: `loss = total * world_size / count_of_all_ranks`.",
            severity="hint" if (is_last and number) or is_slight else "warning",
            others=[least],
        )
        return


def _counted(log: RankLog, of: BackwardPass) -> int | None:
    """The number of elements that count in the mean that the target is; None if it is no mean, or that is not known."""
    op = log.maker(of.target)
    if op is None:
        return None
    if op.op == "div":
        return _divisor(log, op)
    return _labels(log, op) if _is_mean(op) and IGNORED in dict(op.attrs) else _elements(log, of)


def _elements(log: RankLog, of: BackwardPass) -> int | None:
    """The number of elements that the target is a mean of, whether all count or not; None if it is no mean."""
    op = log.maker(of.target)
    return prod(log.log.tensors[op.inputs[0]].shape) if op is not None and _is_mean(op) else None


def _is_mean(op: Op) -> bool:
    return dict(op.attrs).get("reduction", "mean" if "loss" in op.op else "") == "mean" or op.op.endswith("mean")


def _labels(log: RankLog, op: Op) -> int | None:
    """How many labels a loss does not leave out; None where classes have weights, or the labels are probabilities."""
    labels = elements_of(log.log.value(op.inputs[1])) if len(op.inputs) == 2 else None
    is_known = labels is not None and labels.dtype.kind in "iu"
    return int(np.count_nonzero(labels != dict(op.attrs)[IGNORED])) if is_known else None


def _divisor(log: RankLog, op: Op) -> int | None:
    """The whole number that a sum is divided by; None if it is another."""
    total = log.maker(op.inputs[0])
    is_sum = total is not None and (total.op == "reduce_sum" or dict(total.attrs).get("reduction") == "sum")
    divisor = elements_of(log.log.value(op.inputs[1])) if is_sum and len(op.inputs) == 2 else None
    is_count = divisor is not None and divisor.shape == () and divisor.dtype.kind in "iuf" and divisor % 1 == 0
    return int(divisor) if is_count and divisor is not None and divisor > 0 else None


RULES = (unequal_steps, unequal_counts)
"""Logs of all ranks -> what they do not do equally often."""
