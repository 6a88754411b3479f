"""Logs of several ranks -> Findings about buffers that are to be the same on all of them, and are not any more.

Gradients say which ranks train one model: those that reduce them together, or gather its parts. Of a buffer a log has
the norms that passes met, of what is saved with the model alone, and none of what a wrapper broadcasts ahead of each.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from tapeviz.diagnosis.ranks.passes import Op, ranks_of
from tapeviz.diagnosis.ranks.rank_finding import RankFinding, finding, named, on_ranks, verb
from tapeviz.diagnosis.ranks.rank_log import APART, RankLog
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import BuffersMeasured, StateWritten, VjpApplied
from tapeviz.events.raw import IN_PLACE
from tapeviz.phrases import listed
from tapeviz.source.places import site_at

Of = TypeVar("Of")

OVERWRITES = frozenset({("training", True), ("use_input_stats", True)})
"""Attributes of a normalization that updates its running statistics, and does not read them."""
SHARING = frozenset({"fsdp.all_gather", "dtensor.redistribute"})
"""Ops by which the ranks of a group compute one model together."""
BY_PARTS = ("setitem", "scatter", "index", "masked")
"""What the names of ops have in them that write some of the elements."""


class Measurement(NamedTuple):
    """A buffer as a call of its module met it, at a position of the log."""

    position: int
    tensor: int | None
    norm: float


class BufferWrite(NamedTuple):
    """What has changed a buffer, at a position: the op, or None where the log has only that it was written."""

    position: int
    op: Op | None


@dataclass(frozen=True)
class Drift:
    """A buffer that is not the same on ranks from one of its calls on.

    Attributes:
        passes: how many backward passes came before.
        writes: what has changed it on each rank, as far as the log shows that.
        is_read: whether what is differentiated is computed with it.
        may_be_own: whether it may have something of each example.
        ends: its last norm on each rank.
    """

    name: str
    passes: int
    writes: Sequence[BufferWrite | None]
    is_read: bool
    may_be_own: bool
    ends: Sequence[float]

    @property
    def is_of_a_normalization(self) -> bool:
        """Whether it is updated by what updates running statistics, whoever calls it."""
        return any(each is not None and each.op is not None and overwrites(each.op) for each in self.writes)


def buffers_apart(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """Buffers of a model that ranks train together are written by each alone, and nothing makes them the same again."""
    for some in _training_together(logs):
        measured = [_measurements(log) for log in some]
        drifts = [each for name in measured[0] if (each := _drift(some, name, [of.get(name, []) for of in measured]))]
        alike: defaultdict[tuple[bool, ...], list[Drift]] = defaultdict(list)
        for each in drifts:
            alike[each.is_read, each.may_be_own, each.is_of_a_normalization].append(each)
        for group in alike.values():
            yield _of_drifts(some, group)


def _training_together(logs: Sequence[RankLog]) -> Iterator[list[RankLog]]:
    """The logs of ranks that reduce the gradients of parameters in one group, or share them out in it, by groups."""
    groups: list[set[int]] = []
    labels: defaultdict[object, set[int]] = defaultdict(set)
    for at, log in enumerate(logs):
        for label in _groups_of(log):
            labels[label].add(at)
    for own in labels.values():
        overlapping = [each for each in groups if not each.isdisjoint(own)]
        groups = [each for each in groups if each not in overlapping] + [own.union(*overlapping)]
    for each in groups:
        if len(each) > 1:
            yield [logs[at] for at in sorted(each)]


def _groups_of(log: RankLog) -> set[object]:
    """The groups of processes in which a rank trains one model with others, as its ops tell them."""
    reductions = (each.op for of in log.passes for name in of.versions for each in of.reductions(name))
    ops = [*reductions, *(each for each in log.ops.values() if each.op in SHARING)]
    about = [dict(op.attrs) for op in ops if op is not None and ranks_of(op) > 1]
    labels: list[object] = [each.get("group", each.get("mesh")) for each in about]
    return set(labels) - {None}


def _measurements(log: RankLog) -> dict[str, list[Measurement]]:
    """What calls met of each buffer, in order."""
    found: defaultdict[str, list[Measurement]] = defaultdict(list)
    for position, event in log.log.of_kind(BuffersMeasured).items():
        norms = log.value(event.norms)
        if getattr(norms, "shape", None) != (len(event.names),):
            continue  # the log let go of them
        for name, tensor, norm in zip(event.names, event.tensors, norms.tolist(), strict=True):
            found[name].append(Measurement(position, tensor, norm))
    return found


def _drift(logs: Sequence[RankLog], name: str, measured: Sequence[Sequence[Measurement]]) -> Drift | None:
    """Whether a buffer is not the same from some call on; not one that was never the same, as of what each rank has for
    itself, unless a normalization updates it; nor one that is made the same now and then."""
    calls = list(zip(*measured, strict=False))
    same = [_are_same([each.norm for each in call]) for call in calls]
    if len(calls) < 2 or all(same) or any(same[same.index(False) :]):
        return None
    since = same.index(False)
    until = max(since, 1)
    writes = [_write(log, of[until - 1], of[until]) for log, of in zip(logs, measured, strict=True)]
    around = measured[0][until - 1 : until + 2]
    is_read, is_shared = _uses(logs[0], around)
    if is_shared:
        return None
    passes = sum(each.position < calls[since][0].position for each in logs[0].passes)
    may_be_own = _may_be_of_examples(logs[0], around, writes[0])
    found = Drift(name, passes, writes, is_read, may_be_own, [each[len(calls) - 1].norm for each in measured])
    return found if since or found.is_of_a_normalization else None


def _are_same(norms: Sequence[float]) -> bool:
    finite = [each for each in norms if math.isfinite(each)]
    if len(finite) < len(norms):
        return not finite
    return max(finite) - min(finite) <= APART * max(finite)


def _write(log: RankLog, before: Measurement, after: Measurement) -> BufferWrite | None:
    """What has changed a buffer last between two calls; None where the log tells of nothing."""
    own, ends = {before.tensor, after.tensor} - {None}, (before.position, after.position)
    found = [
        BufferWrite(at, op)
        for at, op in _between(log.ops, *ends)
        if not own.isdisjoint(op.outputs) or (overwrites(op) and not own.isdisjoint(op.inputs))
    ]
    written = _between(log.log.of_kind(StateWritten), *ends)
    found += [BufferWrite(at, None) for at, each in written if each.tensor in own]
    return max(found, key=lambda each: each.position, default=None)


def _between(events: Mapping[int, Of], first: int, last: int) -> Iterator[tuple[int, Of]]:
    """The events at positions between two, which are in order."""
    positions = list(events)
    inner = positions[bisect_right(positions, first) : bisect_left(positions, last)]
    return ((at, events[at]) for at in inner)


def overwrites(op: Op) -> bool:
    """Whether an op updates what it has of running statistics."""
    return op.op.endswith("_norm") and not OVERWRITES.isdisjoint(op.attrs)


def _uses(log: RankLog, calls: Sequence[Measurement]) -> tuple[bool, bool]:
    """What is done with a buffer, or with what is made of it, beside its updates, in a few calls: whether a gradient
    goes back through that, and whether processes do it together."""
    ops = _ops_in(log, calls)
    reached = {each.tensor for each in calls} - {None}
    for op in reversed(ops.values()):  # what an op in place has made had another number before
        if IN_PLACE in op.attrs and not reached.isdisjoint(op.outputs):
            reached.update(op.inputs[:1])
    followed = {each.op for each in log.log.of_kind(VjpApplied).values()}
    is_read = is_shared = False
    for at, op in ops.items():
        if reached.isdisjoint(op.inputs) or overwrites(op):
            continue
        is_shared = is_shared or ranks_of(op) > 1
        if at in followed:
            is_read = True
        else:
            reached.update(op.outputs)
    return is_read, is_shared


def _ops_in(log: RankLog, calls: Sequence[Measurement]) -> dict[int, Op]:
    """The ops of some calls, the last one included."""
    later = (at for at in log.log.of_kind(BuffersMeasured) if at > calls[-1].position)
    return dict(_between(log.ops, calls[0].position, next(later, log.log.length)))


def _may_be_of_examples(log: RankLog, calls: Sequence[Measurement], write: BufferWrite | None) -> bool:
    """Whether a buffer may have something for each example of its own rank, as hidden states are, or a memory that is
    filled part by part."""
    rows = log.log.tensors
    if write is not None and write.op is not None and any(each in write.op.op for each in BY_PARTS):
        return True
    buffers = {each for event in log.log.of_kind(BuffersMeasured).values() for each in event.tensors}
    ops = _ops_in(log, calls).values()
    given = {each for op in ops for each in op.inputs if rows[each].role == "constant"} - buffers
    counts = {rows[each].shape[0] for each in given if rows[each].shape} - {1}
    known = (rows[each.tensor].shape for each in calls if each.tensor is not None)
    return not counts.isdisjoint(next(known, ()))


def _of_drifts(logs: Sequence[RankLog], drifts: Sequence[Drift]) -> RankFinding:
    """The buffers that drift for one reason: those that part first come first."""
    drifts = sorted(drifts, key=lambda each: each.passes)
    first, names = drifts[0], [each.name for each in drifts]
    writers = [log for log, each in zip(logs, first.writes, strict=True) if each is not None]
    position = next((each.position for each in first.writes if each is not None), None)
    on = writers[0] if writers else logs[0]
    it = "it" if len(names) == 1 else "them"
    since = f"any more after pass {first.passes}" if first.passes else "from the first pass on"
    return finding(
        "buffer_drifted_apart",
        on,
        position,
        f"{named(names)} {verb(names, 'is')} not the same on all ranks {since}, though these train one model: "
        f"{_how(logs, first, it)}, and nothing makes {it} the same again.{_ends(logs, first)} {_matters(first, it)}",
        _cure(first, any(each.shared_out for each in logs)),
        severity="warning" if first.is_read and not first.may_be_own else "hint",
        others=logs,
    )


def _how(logs: Sequence[RankLog], drift: Drift, it: str) -> str:
    """Which ranks write it, and where."""
    places: defaultdict[str, list[RankLog]] = defaultdict(list)
    for log, write in zip(logs, drift.writes, strict=True):
        if write is not None:
            places[words(site_at(log.log, write.position))].append(log)
    if not places:
        return f"what changes {it} is not in the logs"
    if len(places) == 1 and len(places[first := next(iter(places))]) == len(logs):
        return f"each rank writes {it} at {first}"
    return listed([f"{on_ranks(some)} write{'s' * (len(some) == 1)} {it} at {at}" for at, some in places.items()])


def _ends(logs: Sequence[RankLog], drift: Drift) -> str:
    """The least and the greatest of its last norms."""
    known = sorted((norm, log.rank) for norm, log in zip(drift.ends, logs, strict=True) if math.isfinite(norm))
    if not known:
        return ""
    (least, low), (most, high) = known[0], known[-1]
    return f" The norm of the first is {least:.6g} on rank {low} and {most:.6g} on rank {high} in the end."


def _matters(drift: Drift, it: str) -> str:
    """What comes of it."""
    if drift.is_read:
        return f"What is differentiated is computed with {it}: the ranks share gradients of unequal functions."
    return f"No gradient here goes by {it}; evaluation may, and what one rank saves has its own alone."


def _cure(drift: Drift, is_shared_out: bool) -> str:
    wrapper = "let `DistributedDataParallel` hand out rank 0's ahead of each forward pass, as it does by default, "
    handed_out = "" if is_shared_out else wrapper
    average = "`dist.all_reduce(b, op=dist.ReduceOp.AVG)`"
    if drift.is_of_a_normalization:
        return (
            "Take the statistics over all ranks, `torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)`, "
            f"{handed_out}or average them ahead of evaluation and of saving, {average}."
        )
    return (
        f"Reduce what goes in ahead of the write, {average}, {handed_out}or, if each rank is to have its own, say so: "
        "`register_buffer(..., persistent=False)`."
    )


RULES = (buffers_apart,)
"""Logs of all ranks -> what is wrong with their buffers."""
