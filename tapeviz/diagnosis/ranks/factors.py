"""Logs of several ranks -> Findings of gradients that are a multiple of the mean of what the ranks have found."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

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
TOGETHER = 1 << 16
"""Elements of small gradients that are looked at together."""
NUMBER_OF_RANKS = re.compile(r"world_?size|num_(?:ranks|processes|replicas)", re.IGNORECASE)
"""How programs spell it."""


def wrong_factor(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """A gradient is a multiple of the mean of what arrived on the ranks, by a power of their number."""
    told: dict[tuple[str, int], list[tuple[str, RankLog, BackwardPass]]] = defaultdict(list)
    for passes in zip(*(each.passes for each in logs), strict=False):
        pairs = list(zip(logs, passes, strict=True))
        first, of = pairs[0]
        if any(_is_share(log, each, len(logs)) for log, each in pairs):
            continue
        names = [name for name in of.versions if all(_is_whole(each, name, len(logs)) for _, each in pairs)]
        for name, factor in _factors(pairs, names):
            power = _power(factor, len(logs))
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
        position, op = log.made_at(of.target) or (None, None)
        text = "" if op is None or op.site is None else log.log.sites[op.site].text
        if not NUMBER_OF_RANKS.search(text) or not _is_share(log, of, count):
            continue
        names = [name for name in of.versions if _is_whole(of, name, count)]
        names = [name for name in names if of.reductions(name)[-1].attributes.get("operation") == "mean"]
        if names:
            yield finding(
                "divided_twice",
                log,
                position,
                f"the loss is divided by the number of ranks, and the reduction takes the mean of what the "
                f"{counted(count, 'rank')} find: `.grad` of {named(names)} is 1/{count} of the gradient of the mean of "
                "the losses.",
                _FIXES["divided_twice"],
                source=log.parameters.get(names[0]),
                others=logs[1:],
            )
            return


def _factors(pairs: Sequence[tuple[RankLog, BackwardPass]], names: Iterable[str]) -> Iterator[tuple[str, float]]:
    """What the mean of what arrived was multiplied by, for the gradients that are a multiple of it, and not it."""
    for some in _alike(pairs, names):
        local, reduced = _wide([each.local for each in some]), _wide([each.reduced for each in some])
        means = local.sum(axis=1) / len(pairs)
        own = own_part(means.shape[1:], reduced.shape[1:], len(pairs))
        if own is None:
            continue
        means, reduced = means[:, *own].reshape(len(some), -1), reduced.reshape(len(some), -1)
        with np.errstate(all="ignore"):
            factors = np.vecdot(means, reduced).real / np.vecdot(means, means).real
            is_other = np.isfinite(factors) & (np.abs(factors - 1.0) > CLOSE)  # few, most being the mean itself
        for at in np.flatnonzero(is_other).tolist():
            if np.linalg.norm(reduced[at] - factors[at] * means[at]) <= CLOSE * np.linalg.norm(reduced[at]):
                yield some[at].name, float(factors[at])


class _Reduced(NamedTuple):
    """A gradient as it arrived on each rank, and what the reduction made of that."""

    name: str
    local: list[Any]
    reduced: Any


def _alike(pairs: Sequence[tuple[RankLog, BackwardPass]], names: Iterable[str]) -> Iterator[Sequence[_Reduced]]:
    """The gradients that are known, those of one shape together, as far as they are small."""
    log, of = pairs[0]
    alike: defaultdict[Any, list[_Reduced]] = defaultdict(list)
    for name in names:
        local = [on.value(each.arrived[name]) for on, each in pairs]
        reduced = log.value(_scaled(log, of.versions[name]).tensor)
        if all(isinstance(each, np.ndarray) for each in (*local, reduced)):
            shapes = {each.shape for each in local}
            if len(shapes) == 1 and reduced.size:
                alike[*shapes, reduced.shape].append(_Reduced(name, local, reduced))
    for some in alike.values():
        most = max(1, TOGETHER // some[0].reduced.size)
        yield from (some[start : start + most] for start in range(0, len(some), most))


def _wide(arrays: Sequence[Any]) -> np.ndarray[Any, Any]:
    """Arrays of one shape as one, in double precision."""
    found = np.array(arrays)
    return found.astype(np.complex128 if found.dtype.kind == "c" else np.float64, copy=False)


def own_part(whole: tuple[int, ...], part: tuple[int, ...], count: int) -> tuple[slice, ...] | None:
    """Where in an array the first of `count` processes has its part, as the shapes tell; None where they do not.

    >>> own_part((5,), (3,), 2), own_part((5,), (2,), 2)
    ((slice(None, 3, None),), None)
    """
    if len(whole) != len(part):
        return None
    shared = [(side, own) for side, own in zip(whole, part, strict=True) if side != own]
    is_part = len(shared) < 2 and all(own == math.ceil(side / count) for side, own in shared)
    return tuple(map(slice, part)) if is_part else None


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
