"""Logs of several ranks -> Findings about parameters that are used, trained or numbered otherwise on some of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tapeviz.diagnosis.ranks.drifts import drifted
from tapeviz.diagnosis.ranks.passes import is_gather
from tapeviz.diagnosis.ranks.rank_finding import RankFinding, finding, named, on_ranks, verb
from tapeviz.diagnosis.ranks.rank_log import APART, RankLog
from tapeviz.diagnosis.ranks.steps import reduced_in_groups, reduced_late, sharing, stepped_early
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import LeafCreated, OpRecorded, Unwatched
from tapeviz.events.summary import Summary, size_of
from tapeviz.phrases import counted, quoted
from tapeviz.source.places import site_at


def frozen_on_some_ranks(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """A parameter wants a gradient on some ranks, and on others it does not."""
    for name in _common(logs):
        frozen = [log for log in logs if name not in log.wanting]
        if 0 < len(frozen) < len(logs):
            others = [log for log in logs if log not in frozen]
            position = next(
                (
                    at
                    for at, each in frozen[0].log.of_kind(Unwatched).items()
                    if each.tensor == frozen[0].parameters[name]
                ),
                None,
            )
            yield finding(
                "frozen_on_some_ranks",
                frozen[0],
                position,
                f"{quoted(name)} is frozen on {on_ranks(frozen)} and trained on {on_ranks(others)}: these take a mean "
                "over ranks that found nothing, or wait for them.",
                "Freeze the same parameters on all ranks, before the model is wrapped.",
                severity="error",
                source=frozen[0].parameters[name],
                others=[*frozen, *others],
            )


def unused_on_some_ranks(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """A parameter gets a gradient on some ranks, and on others no pass finds one for it."""
    if not all(log.passes for log in logs):
        return
    found: dict[tuple[int, ...], list[str]] = {}
    for name in _common(logs):
        used = tuple([log.rank for log in logs if any(name in each.arrived for each in log.passes)])
        if any(name in log.shared_out for log in logs):
            continue  # there may be nothing of it on a rank
        if 0 < len(used) < len(logs) and all(name in log.wanting for log in logs):
            found.setdefault(used, []).append(name)
    for used, names in found.items():
        on = next(log for log in logs if log.rank == used[0])
        active = [log for log in logs if log.rank in used]
        idle = [log for log in logs if log.rank not in used]
        tensor = on.parameters[names[0]]
        ops = on.log.of_kind(OpRecorded)
        position = next((at for at, op in ops.items() if tensor in op.inputs and op.site is not None), None)
        is_mean = any(each.reductions(names[0]) for each in on.passes)
        share = f" `.grad` is the mean with zeros: {len(used)}/{len(logs)} of what the others find." * is_mean
        yield finding(
            "unused_on_some_ranks",
            on,
            position,
            f"{named(names)} {verb(names, 'takes')} part in the target on {on_ranks(active)}, and no pass of "
            f"{on_ranks(idle)} finds a gradient for {'it' if len(names) == 1 else 'them'}.{share}",
            "Use the parameter on all ranks, as by adding `0.0 * w.sum()` to the loss; `find_unused_parameters=True` "
            "lets the others go on without it.",
            severity="warning",
            source=tensor,
            others=[*active, *idle],
        )


def unequal_numbers(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """A parameter whose gradients the ranks share starts unequal, or is not the same any more: the first that parts.

    Where a model refuses to go on, as it waits for gradients, nothing is wrong beside that.
    """
    refused = any(each.cause == "unused_source" and each.severity == "error" for log in logs for each in log.findings)
    if refused or not all(log.passes for log in logs):
        return
    rounds = min(len(log.passes) for log in logs)
    whole = [name for name in _common(logs) if not any(name in log.shared_out for log in logs)]
    trained = [name for name in whole if all(any(name in each.stepped for each in log.passes) for log in logs)]
    averaged = logs[0].averaged
    ends = [[*(each.position for each in log.passes[1 : rounds + 1]), log.log.length] for log in logs]
    begin = [log.passes[0].position for log in logs]
    parted = {name: at for name in trained if (at := _parts_at(logs, name, ends)) is not None}
    starts = {name: _values(logs, name, begin) for name in parted}
    started = [name for name, values in starts.items() if not _are_same(values)]
    unknown = {name for name, values in starts.items() if any(each is None for each in values)}
    yield from _unequal_starts(logs, {name: starts[name] for name in started})
    apart: dict[int, list[str]] = {}
    for name, at in parted.items():
        is_own = name in started or (bool(started) and name in unknown)  # models of their own
        if not is_own and logs[0].parameters[name] not in averaged:
            apart.setdefault(at, []).append(name)
    for at, names in sorted(apart.items())[:1]:
        yield _apart(logs, at, names)


def _parts_at(logs: Sequence[RankLog], name: str, ends: Sequence[Sequence[int]]) -> int | None:
    """After which pass a parameter is not the same on all ranks any more; None where it is in the end of each."""
    rounds = enumerate(zip(*ends, strict=False))
    return next((at for at, places in rounds if not _are_same(_values(logs, name, places))), None)


def _values(logs: Sequence[RankLog], name: str, places: Sequence[int]) -> list[Any]:
    """What a parameter holds on each rank, at a position of its log."""
    return [log.value(log.parameters[name], at) for log, at in zip(logs, places, strict=True)]


def _unequal_starts(logs: Sequence[RankLog], starts: Mapping[str, Sequence[Any]]) -> Iterator[RankFinding]:
    """Parameters that start unequal within a group that shares their gradients; each group may have its own part."""
    found: defaultdict[tuple[int, ...], list[str]] = defaultdict(list)
    for name, values in starts.items():
        for group in sharing(logs, name, 0):
            apart = [each for each in group[1:] if not _are_same([values[group[0]], values[each]])]
            if apart:
                found[group[0], *apart].append(name)
                break
    for (first, *apart), names in found.items():
        yield _unequal_start(logs[first], [logs[each] for each in apart], names)


def _unequal_start(log: RankLog, others: Sequence[RankLog], names: list[str]) -> RankFinding:
    return finding(
        "unequal_start",
        log,
        log.passes[0].position,
        f"{named(names)} {verb(names, 'has')} other numbers on {on_ranks(others)} than on {on_ranks([log])} "
        "before the first pass, though the ranks share the gradients: equal steps keep them apart.",
        "Broadcast the parameters once before the training, `dist.broadcast(w.data, 0)`, or make them with the same "
        "seed. `DistributedDataParallel` does it by itself.",
        severity="error",
        source=log.parameters[names[0]],
        others=others,
    )


def _apart(logs: Sequence[RankLog], at: int, names: list[str]) -> RankFinding:
    """The parameters part after a pass: those that shared its gradient, or found the same, and those that did not."""
    stored = [each.passes[at].versions.get(names[0], ()) for each in logs]
    gradients = [log.value(each[-1].tensor) if each else None for log, each in zip(logs, stored, strict=True)]
    if any(each.passes[at].reductions(names[0]) for each in logs):
        early = stepped_early(logs[0], at, names[0])
        if early is not None:
            return reduced_late(logs, at, names, early, _norms_apart(logs, names[0]))
        groups = sharing(logs, names[0], at)
        if len(groups) > 1 and all(_end_the_same(logs, names[0], each) for each in groups):
            return reduced_in_groups(logs, at, names, groups, _norms_apart(logs, names[0]))
        return drifted(logs, at, names, "the gradient was reduced", _norms_apart(logs, names[0]))
    if all(each is not None for each in gradients) and _are_same(gradients):
        return drifted(logs, at, names, "the ranks find the same gradient", _norms_apart(logs, names[0]))
    in_units = any(map(is_gather, logs[0].ops.values()))
    return _outside_of_units(logs[0], at, names) if in_units else _unreduced(logs, at, names)


def _end_the_same(logs: Sequence[RankLog], name: str, group: Sequence[int]) -> bool:
    """Whether some ranks end with the same numbers for a parameter."""
    some = [logs[each] for each in group]
    return _are_same(_values(some, name, [each.log.length for each in some]))


def _norms_apart(logs: Sequence[RankLog], name: str) -> str:
    """Between which norms a parameter ends on the ranks, as far as that is known."""
    sizes = [size_of(each.value(each.parameters[name], each.log.length)) for each in logs]
    known = [each for each in sizes if each is not None]
    if len(known) < len(logs):
        return ""
    return f" The norm of the first ends between {min(known):.6g} and {max(known):.6g}."


def _unreduced(logs: Sequence[RankLog], at: int, names: list[str]) -> RankFinding:
    log, of = logs[0], logs[0].passes[at]
    others = ", though those of other parameters are" if any(map(of.reductions, of.versions)) else ""
    fix = (
        "Give the model all its parameters before it is wrapped: those that come later are not reduced."
        if others
        else "Give the ranks that compute one model together the same examples, and the same random state for what all "
        "of them have: seed by the position in the data-parallel group, not by the rank."
        if log.shared_out
        else "Reduce the gradient before the step: wrap the model in `DistributedDataParallel`, call it (not its "
        "`module`), or `dist.all_reduce(w.grad, op=dist.ReduceOp.AVG)`."
    )
    return finding(
        "reduction_missing",
        log,
        of.position,
        f"{named(names)} {verb(names, 'starts')} the same on all ranks; each finds its own gradient at "
        f"{words(site_at(log.log, of.position))}, none of them is reduced{others}, and the steps drive the ranks apart "
        f"from pass {at + 1} on.{_norms_apart(logs, names[0])}",
        fix,
        severity="warning",
        source=log.parameters[names[0]],
    )


def _outside_of_units(log: RankLog, at: int, names: list[str]) -> RankFinding:
    line = words(site_at(log.log, log.passes[at].position))
    inside = [each for each in log.parameters if each in log.shared_out]
    return finding(
        "outside_of_units",
        log,
        log.passes[at].position,
        f"{named(names)} {verb(names, 'is')} in no unit that the ranks share out, and {named(inside)} are: each rank "
        f"finds its own gradient at {line}, none of them is reduced, and the steps drive the ranks apart from pass "
        f"{at + 1} on.",
        "Share out the module around them too, `fully_shard(model)`, once it has all its parameters; what is to stay "
        "whole is reduced by hand, `dist.all_reduce(w.grad, op=dist.ReduceOp.AVG)`.",
        source=log.parameters[names[0]],
    )


def equal_data(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """All ranks find the very same gradients in every pass, and share them; of parts some ranks may have nothing."""
    seen = False
    common = set(_common(logs))
    for passes in zip(*(log.passes for log in logs), strict=False):
        pairs = list(zip(logs, passes, strict=True))
        for name in common.intersection(passes[0].arrived):
            if any(each.arrived_reduced(name) for each in passes):
                continue  # what each rank found is not known
            if not all(name in each.arrived and each.reductions(name) for each in passes):
                return
            values = [log.value(each.arrived[name]) for log, each in pairs]
            if not all(isinstance(each, np.ndarray) for each in values):
                return
            if any(not np.array_equal(values[0], each) for each in values[1:]):
                return
            seen = seen or bool(np.any(values[0]))
    if seen:
        log = logs[0]
        position = log.passes[0].position
        yield finding(
            "equal_data",
            log,
            position,
            f"the {counted(len(logs), 'rank')} find the same gradients at {words(site_at(log.log, position))}, bit by "
            f"bit in {counted(len(log.passes), 'pass')}: they see the same examples, and their mean is what one rank "
            "would find alone.",
            "Give each rank its part of the data: a `DistributedSampler`, or `data[rank::world_size]`. Seed what draws "
            "examples by the rank.",
        )


def listed_before_wrapping(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """An optimizer has the parameters that a model had before it was wrapped, which put others in their place."""
    log = logs[0]
    rows = log.log.tensors
    before = {rows[each].name: at for each, at in log.listed.items() if rows[each].placement is None}
    left = [rows[each] for each in log.variables if each in log.trained and each not in log.listed]
    names = [str(row.name) for row in left if row.placement is not None and row.name in before]
    if names:
        made = before[names[0]]
        wrapped = site_at(log.log, _made_at(log, log.parameters[names[0]]))
        where = "" if wrapped is None else f", at {words(wrapped)}"
        yield finding(
            "listed_before_wrapping",
            log,
            made,
            f"the optimizer has {named(names)} as {'it was' if len(names) == 1 else 'they were'} before the "
            f"model was wrapped{where}, which put others in their place: no step changes what is trained.",
            "Make the optimizer after `fully_shard` or `parallelize_module`.",
            severity="error",
            source=log.parameters[names[0]],
            others=logs[1:],
        )


def _made_at(log: RankLog, tensor: int) -> int | None:
    return next((at for at, each in log.log.of_kind(LeafCreated).items() if each.tensor == tensor), None)


def _common(logs: Sequence[RankLog]) -> list[str]:
    """The parameters that all ranks have."""
    common = set(logs[0].parameters).intersection(*(each.parameters for each in logs[1:]))
    return [name for name in logs[0].parameters if name in common]


def _are_same(values: Sequence[Any]) -> bool:
    """Whether the values are the same, as far as they are known."""
    known = [each for each in values if each is not None]
    if any(isinstance(each, Summary) for each in known):
        sizes = [size_of(each) or 0.0 for each in known]
        return max(sizes, default=0.0) - min(sizes, default=0.0) <= APART * max(sizes, default=0.0)
    if any(each.shape != known[0].shape for each in known):
        return True  # parts of one whole
    others = [each for each in known[1:] if each is not known[0] and each.tobytes() != known[0].tobytes()]
    limit = APART * float(np.linalg.norm(known[0])) if others else 0.0
    return not any(float(np.linalg.norm(each - known[0])) > limit for each in others)


RULES = (frozen_on_some_ranks, listed_before_wrapping, unused_on_some_ranks, unequal_numbers, equal_data)
"""Logs of all ranks -> what is wrong with their parameters."""
