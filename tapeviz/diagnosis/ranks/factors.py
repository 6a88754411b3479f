"""Logs of several ranks -> Findings of gradients that are a multiple of the mean of what the ranks have found."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tapeviz.diagnosis.ranks.passes import BackwardPass, Version
from tapeviz.diagnosis.ranks.rank_finding import RankFinding, finding, named
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.diagnosis.wording.places import words
from tapeviz.phrases import counted
from tapeviz.source.places import site_at

CLOSE = 1e-2
"""How near a factor is to a power of the number of ranks, and a gradient to that multiple of the mean."""
SCALING = frozenset({"mul", "div"})
NUMBER_OF_RANKS = re.compile(r"world_?size|num_(?:ranks|processes|replicas)", re.IGNORECASE)
"""How programs spell it."""


def wrong_factor(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """A gradient is a multiple of the mean of what arrived on the ranks, by a power of their number."""
    told: dict[tuple[str, int], list[tuple[str, RankLog, BackwardPass]]] = defaultdict(list)
    for passes in zip(*(each.passes for each in logs), strict=False):
        pairs = list(zip(logs, passes, strict=True))
        first, of = pairs[0]
        is_meant = any(_is_share(log, each, len(logs)) for log, each in pairs)
        for name in () if is_meant else of.versions:
            if all(_is_whole(each, name, len(logs)) for _, each in pairs):
                power = _power(_factor(pairs, name), len(logs))
                if power:
                    cause = "divided_twice" if power < 0 else _CAUSES[len(of.reductions(name)) > 1]
                    told[cause, power].append((name, first, of))
        if told:
            break
    for (cause, power), found in told.items():
        yield _multiple(cause, power, len(logs), found)


def _is_whole(of: BackwardPass, name: str, count: int) -> bool:
    """Whether all ranks reduced a gradient, of this pass alone."""
    together = of.reductions(name)
    is_alone = name in of.arrived and name not in of.added
    return is_alone and bool(together) and together[-1].attributes["ranks"] == count


def _is_share(log: RankLog, of: BackwardPass, count: int) -> bool:
    """Whether the target is divided by the number of ranks, so that the sum is meant."""
    op = log.maker(of.target)
    if op is None or op.op not in SCALING:
        return False
    literals = [log.value(each) for each in op.inputs if log.log.tensors[each].role == "literal"]
    return any(each is not None and np.isclose(float(each), (count, 1 / count)).any() for each in literals)


def share_of_a_mean(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """The loss is divided by the number of ranks, as the sum of the gradients would need, and their mean is taken.

    Nothing is said where the number may be another that is equal: of heads, or of passes that add up.
    """
    log, count = logs[0], len(logs)
    for of in log.passes:
        made = log.made_at(of.target)
        site = None if made is None else site_at(log.log, made[0])
        if made is None or site is None or not NUMBER_OF_RANKS.search(site.text) or not _is_share(log, of, count):
            continue
        names = [name for name in of.versions if _is_whole(of, name, count)]
        names = [name for name in names if of.reductions(name)[-1].attributes.get("operation") == "mean"]
        if names:
            yield finding(
                "divided_twice",
                log,
                made[0],
                f"the loss is divided by the number of ranks, and the reduction takes the mean of what the "
                f"{counted(count, 'rank')} find: `.grad` of {named(names)} is 1/{count} of the gradient of the mean of "
                "the losses.",
                _FIXES["divided_twice"],
                source=log.parameters.get(names[0]),
                others=logs[1:],
            )
            return


def _factor(pairs: Sequence[tuple[RankLog, BackwardPass]], name: str) -> float:
    """What the mean of the gradients that arrived was multiplied by; 0 where it is that, or no multiple, or unknown."""
    local = [log.value(each.arrived[name]) for log, each in pairs]
    log, of = pairs[0]
    reduced = log.value(_scaled(log, of.versions[name]).tensor)
    if not all(isinstance(each, np.ndarray) and each.shape == local[0].shape for each in local):
        return 0.0
    mean = part_of(np.array(local, dtype=np.float64).sum(axis=0) / len(local), np.shape(reduced), len(pairs))
    if mean is None or not isinstance(reduced, np.ndarray):
        return 0.0
    size = float(np.vdot(mean, mean))
    factor = float(np.vdot(reduced, mean)) / size if 0.0 < size < math.inf else math.nan
    if not math.isfinite(factor) or abs(factor - 1.0) <= CLOSE:  # most are the mean itself, which is of no interest
        return 0.0
    is_multiple = np.linalg.norm(reduced - factor * mean) <= CLOSE * np.linalg.norm(reduced)
    return factor if is_multiple else 0.0


def part_of(whole: Any, shape: tuple[int, ...], count: int) -> Any:
    """What the first of `count` processes has of an array, as its shape tells; None where that does not.

    >>> part_of(np.arange(5), (3,), 2), part_of(np.arange(5), (5,), 2), part_of(np.arange(5), (2,), 2)
    (array([0, 1, 2]), array([0, 1, 2, 3, 4]), None)
    """
    if whole.shape == shape:  # by far the commonest
        return whole
    if whole.ndim != len(shape):
        return None
    part = whole[tuple(map(slice, shape))]
    sides = {math.ceil(each / count) for each, side in zip(whole.shape, shape, strict=True) if each != side}
    shared = {side for each, side in zip(whole.shape, shape, strict=True) if each != side}
    return part if sides == shared and len(sides) <= 1 else None


def _scaled(log: RankLog, versions: list[Version]) -> Version:
    """The last collective's result, or that divided by a number."""
    last = max(at for at, each in enumerate(versions) if each.is_collective)
    for each in versions[last + 1 :]:
        numbers = [log.log.tensors[tensor].role == "literal" for tensor in (each.op.inputs if each.op else ())]
        if each.op is None or each.op.op not in SCALING or not any(numbers):
            break
        last += 1
    return versions[last]


def _power(factor: float, count: int) -> int:
    """The power of the number of ranks that a factor is; 0 where it is none."""
    power = math.log(factor) / math.log(count) if factor > 0.0 else 0.0
    return round(power) if abs(power - round(power)) <= CLOSE else 0


_CAUSES = {False: "sum_for_mean", True: "reduction_doubled"}
"""Whether a gradient went through several collectives -> why it is too large."""
_FIXES = {
    "sum_for_mean": "Divide by the number of ranks: `dist.all_reduce(w.grad, op=dist.ReduceOp.AVG)`, or `w.grad /= "
    "dist.get_world_size()` after it. Where the loss is one rank's share of a sum, all is well.",
    "reduction_doubled": "Leave one of the two out: `DistributedDataParallel` reduces gradients by itself.",
    "divided_twice": "Divide once: what takes the mean already has divided by the number of ranks.",
}


def _multiple(cause: str, power: int, count: int, found: list[tuple[str, RankLog, BackwardPass]]) -> RankFinding:
    name, on, of = found[0]
    collectives = of.reductions(name)
    lines = [words(site_at(on.log, each.position)) for each in collectives]
    operations = [str(each.attributes.get("operation", each.op.op if each.op else "")) for each in collectives]
    how = " and then ".join(f"{operation} at {line}" for operation, line in zip(operations, lines, strict=True))
    times = f"{count**power} times" if power > 0 else f"1/{count**-power} of"
    return finding(
        cause,
        on,
        collectives[-1].position,
        f"`.grad` of {named([each for each, *_ in found])} is {times} the mean of what the {counted(count, 'rank')} "
        f"found: its reductions are {how}.",
        _FIXES[cause],
        severity="warning" if cause != "sum_for_mean" or _is_of_a_mean(on, of) else "hint",
        source=on.parameters.get(name),
    )


def _is_of_a_mean(log: RankLog, of: BackwardPass) -> bool:
    """Whether the target is a mean over examples, so that a mean over ranks is due, too."""
    op = log.maker(of.target)
    return op is not None and ("mean" in op.op or dict(op.attrs).get("reduction") == "mean" or op.op.endswith("loss"))


RULES = (wrong_factor, share_of_a_mean)
"""Logs of all ranks -> by what the gradients that they share are too large, or too small."""
