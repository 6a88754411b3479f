"""Logs of several ranks -> Findings about what the processes made of their gradients together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tapeviz.diagnosis.ranks.factors import SCALING
from tapeviz.diagnosis.ranks.passes import BackwardPass, is_gather, ranks_of
from tapeviz.diagnosis.ranks.rank_finding import RankFinding, finding, named, on_ranks
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import BackwardStarted, OpRecorded, OptimizerStepped
from tapeviz.events.raw import IN_PLACE, UNREDUCED
from tapeviz.phrases import counted, quoted
from tapeviz.source.places import site_at


def spread_by_reduction(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """A gradient is NaN or infinite as it arrives on some ranks, and on all others after the reduction."""
    for passes in zip(*(each.passes for each in logs), strict=False):
        pairs = list(zip(logs, passes, strict=True))
        born = {log.rank: [name for name, got in each.arrived.items() if not log.is_finite(got)] for log, each in pairs}
        sound = [log for log, _ in pairs if not born[log.rank]]
        origins = [(log, each) for log, each in pairs if born[log.rank]]
        if not origins:
            if names := _overflown(pairs):
                yield _overflow(logs, passes[0], names)
                return
            continue
        reached = [log for log, each in pairs if log in sound and _is_reached(log, each)]
        if reached:
            yield _spread(*origins[0], born[origins[0][0].rank], [log for log, _ in origins], reached)
        return


def _overflown(pairs: Sequence[tuple[RankLog, BackwardPass]]) -> list[str]:
    """The gradients that arrive sound on all ranks, and are not finite after a reduction; a step uses them, which what
    scales the loss leaves out."""
    log, of = pairs[0]
    if not of.stepped:
        return []
    return [
        name
        for name in of.versions
        if all(name in each.arrived and on.size(each.arrived[name]) is not None for on, each in pairs)
        and any(not log.is_finite(each.tensor) for each in of.reductions(name)[:1])
    ]


def _overflow(logs: Sequence[RankLog], of: BackwardPass, names: list[str]) -> RankFinding:
    log, reduction = logs[0], of.reductions(names[0])[0]
    sizes = [log.size(of.arrived[name]) or 0.0 for name in names]
    return finding(
        "overflow_in_reduction",
        log,
        reduction.position,
        f"the gradient of {named(names)} is finite on every rank as it arrives, with a norm of up to {max(sizes):.4g} "
        f"on {on_ranks([log])}, and is not after {quoted(reduction.op.op if reduction.op else '')} at "
        f"{words(site_at(log.log, reduction.position))}: it is too large for what the ranks reduce.",
        "Reduce in a dtype with more room (`bf16_compress_hook`, or none), or scale the loss down.",
        severity="error",
        symptom="nan",
        others=logs[1:],
    )


def _is_reached(log: RankLog, of: BackwardPass) -> bool:
    """Whether a gradient is not finite after a reduction."""
    return any(not log.is_finite(each.tensor) for name in of.versions for each in of.reductions(name))


def _spread(
    log: RankLog, of: BackwardPass, names: list[str], origins: list[RankLog], reached: list[RankLog]
) -> RankFinding:
    reasons = (each for each in log.findings if each.symptom == "nan" and each.severity == "error")
    reason = min(reasons, key=lambda each: each.cause == "nan_in_input", default=None)  # which another may have brought
    why = "" if reason is None else f" There: {reason.message}"
    position = of.position if reason is None or not reason.evidence else reason.evidence[0]
    line = words(site_at(log.log, of.position))
    return finding(
        "spread_by_reduction",
        log,
        position,
        f"the gradient of {named(names)} is not finite on {on_ranks(origins)} as the pass at {line} finds it, and is "
        f"sound elsewhere: the reduction spreads it to {on_ranks(reached)}.{why}",
        f"Mend it on {on_ranks(origins)}. {'' if reason is None else reason.fix}".strip(),
        severity="error",
        symptom="nan",
        others=[*origins, *reached],
    )


def _ahead_of_reductions(log: RankLog, of: BackwardPass) -> tuple[dict[str, int], dict[int, str]]:
    """Where the gradient of each parameter is reduced by hand, and the versions of gradients from before that."""
    ends = {name: end for name in of.versions if (end := _reduced_at(log, of, name)) is not None}
    return ends, {each.tensor: name for name in ends for each in of.versions[name] if each.position < ends[name]}


def local_norm(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """A norm of gradients is taken, as by what clips them, ahead of the reduction by hand."""
    log = logs[0]
    for of in log.passes:
        ends, own = _ahead_of_reductions(log, of)
        own |= {of.arrived[name]: name for name in ends if name in of.arrived}
        for position, op in log.ops.items():
            names = list(dict.fromkeys(own[each] for each in op.inputs if each in own))
            if of.position < position and "norm" in op.op and any(position < ends[each] for each in names):
                line = words(site_at(log.log, ends[names[0]]))
                yield finding(
                    "local_norm",
                    log,
                    position,
                    f"{quoted(op.op)} reads the gradient of {named(names)} before the reduction at {line}: it is "
                    "another number on each rank, and not that of the gradient that is used.",
                    f"Take the norm, or clip, after {line}.",
                )
                return


def local_scale(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """Gradients are scaled by a number that one rank alone has found of them, ahead of the reduction by hand."""
    log = logs[0]
    for of in log.passes:
        ends, own = _ahead_of_reductions(log, of)
        found: set[int] = set()
        for position, op in log.between(of.position, max(ends.values(), default=of.position)):
            names = [own[each] for each in op.inputs if each in own]
            if names and IN_PLACE in op.attrs:
                if op.op in SCALING and not found.isdisjoint(op.inputs[1:]) and position < ends[names[0]]:
                    yield _local_scale(log, position, ends, list(dict.fromkeys(own.values())))
                    return
            elif ranks_of(op) == 1 and (names or not found.isdisjoint(op.inputs)):
                found.update(op.outputs)


def _local_scale(log: RankLog, position: int, ends: Mapping[str, int], names: list[str]) -> RankFinding:
    line = words(site_at(log.log, ends[names[0]]))
    return finding(
        "local_norm",
        log,
        position,
        f"{quoted(log.ops[position].op)} scales the gradient of {named(names)} before the reduction at {line}, by what "
        "this rank alone has computed of its gradients: it is another number on each rank.",
        f"Compute it of the reduced gradients, and scale these, after {line}.",
    )


def _reduced_at(log: RankLog, of: BackwardPass, name: str) -> int | None:
    """Where a gradient is reduced first; of one that later passes add to, that is after the last of these."""
    for each in log.passes[log.passes.index(of) :]:
        if each is not of and name not in each.added:
            return None
        if found := each.reductions(name):
            return found[0].position
    return None


def never_reduced(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """The optimizer steps after a pass that was to leave gradients in each process alone, as accumulating ones do."""
    log = logs[0]
    kept: dict[int, bool] = {}
    for position, event in log.log.of_kind(OpRecorded, OptimizerStepped).items():
        if isinstance(event, OpRecorded) and is_gather(event):
            kept |= dict.fromkeys(event.inputs, UNREDUCED in event.attrs)
        elif isinstance(event, OptimizerStepped):
            names = [name for name, tensor in log.parameters.items() if kept.get(tensor)]
            if names:
                passes = [at for at in log.log.of_kind(BackwardStarted) if at < position]
                yield _never_reduced(logs, passes[-1] if passes else position, position, names)
                return


def _never_reduced(logs: Sequence[RankLog], began: int, stepped: int, names: list[str]) -> RankFinding:
    log = logs[0]
    return finding(
        "reduction_missing",
        log,
        began,
        f"the reduction of the gradients of {named(names)} is turned off in the last pass before the optimizer steps "
        f"at {words(site_at(log.log, stepped))}: they stay in each rank, and none gets to `.grad`.",
        "Turn it on for the last pass before each step: `model.set_requires_gradient_sync(True)`, and "
        "`model.set_requires_all_reduce(True)` where parts are replicated.",
        source=log.parameters.get(names[0]),
        others=logs[1:],
    )


def synchronised_too_often(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """Passes that add up until a step each reduce the gradients."""
    log = logs[0]
    run: list[BackwardPass] = []
    for of in log.passes:
        together = [name for name in of.versions if of.reductions(name)]
        goes_on = bool(run) and bool(of.added.intersection(together))
        run = [*run, of] if goes_on else [of] if together else []
        if of.stepped and len(run) > 1:
            line = words(site_at(log.log, of.position))
            yield finding(
                "synchronised_too_often",
                log,
                of.position,
                f"the {counted(len(run), 'pass')} at {line} add up until the optimizer steps, and each of them reduces "
                f"all gradients over the ranks: {len(run) - 1} of {len(run)} reductions are not needed.",
                "Turn it off for all passes but the last, with `model.set_requires_gradient_sync(False)`."
                if log.shared_out
                else "Put all passes but the last into `with model.no_sync():`, the calls of the model among them.",
                severity="hint",
            )
            return
        run = [] if of.stepped else run


RULES = (spread_by_reduction, local_norm, local_scale, never_reduced, synchronised_too_often)
"""Logs of all ranks -> what is wrong with the way they reduce."""
