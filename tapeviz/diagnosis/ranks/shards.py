"""Logs of several ranks -> Findings about what each of them has a part of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tapeviz.diagnosis.ranks.passes import BackwardPass, Op, number, ranks_of
from tapeviz.diagnosis.ranks.rank_finding import RankFinding, finding, named, on_ranks
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.diagnosis.wording.places import words
from tapeviz.events.raw import IN_PLACE
from tapeviz.events.summary import size_of
from tapeviz.phrases import counted, listed, quoted
from tapeviz.source.places import site_at

FROM_LOCAL, TO_LOCAL, REDISTRIBUTE = "dtensor.from_local", "dtensor.to_local", "dtensor.redistribute"
WHOLE = "Replicate()"
"""The placement of what every process has all of."""


def norm_of_a_shard(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """A norm of gradients of which each process has a part is taken in each alone, and perhaps clips them."""
    log = logs[0]
    for turn, of in enumerate(log.passes):
        parts = _parts(log, of)
        after = _ops_after(log, turn)
        norms = {at: op for at, op in after.items() if _is_norm_of(parts, op)}
        if not norms:
            continue
        joined, clips = _made_of(norms, after, parts)
        if not joined:
            names = list(dict.fromkeys(parts[each] for op in norms.values() for each in op.inputs if each in parts))
            first = next(iter(norms))
            yield _norm_of_a_shard(logs, turn, first if clips is None else clips, first, names, clips is not None)
        return


def _parts(log: RankLog, of: BackwardPass) -> dict[int, str]:
    """The parts of gradients that a function takes for plain tensors -> the parameters."""
    stored = {each.tensor: name for name, versions in of.versions.items() for each in versions}
    found = {
        tensor: name for tensor, name in (stored | of.own_parts).items() if log.log.tensors[tensor].placement is None
    }
    return {tensor: name for tensor, name in found.items() if name in log.shared_out}


def _made_of(norms: Mapping[int, Op], after: Mapping[int, Op], parts: Mapping[int, str]) -> tuple[bool, int | None]:
    """Whether processes compute something of norms together, and where gradients are scaled by what comes of them."""
    reached: set[int] = set()
    clips: int | None = None
    for at, op in after.items():
        if at in norms:
            reached.update(op.outputs)
        elif not reached.isdisjoint(op.inputs):
            if ranks_of(op) > 1:
                return True, None
            if IN_PLACE in op.attrs and not parts.keys().isdisjoint(op.inputs):
                clips = at if clips is None else clips
            else:
                reached.update(op.outputs)
    return False, clips


def _norm_of_a_shard(
    logs: Sequence[RankLog], turn: int, position: int, first: int, names: list[str], clips: bool
) -> RankFinding:
    log = logs[0]
    sizes = [_taken(each, turn) or _total(each, each.passes[turn], names) for each in logs if turn < len(each.passes)]
    known = [each for each in sizes if each]
    told = ""
    if len(known) == len(logs):
        whole = float(np.linalg.norm(known))
        told = (
            f" It is {known[0]:.4g} on {on_ranks([log])}, and that of all parts is {whole:.4g}: {whole / known[0]:.3g} "
            f"times as much, where parts alike would give the root of {len(logs)}."
        )
    reads = words(site_at(log.log, first))
    use = f", and the gradients are clipped by it at {words(site_at(log.log, position))}" if clips else ""
    return finding(
        "clipped_by_a_shard" if clips else "norm_of_a_shard",
        log,
        first,
        f"{quoted(log.ops[first].op)} at {reads} takes the norm of this rank's part of the gradient of {named(names)}, "
        f"and no sum over the ranks follows{use}.{told}",
        "Take it of the whole: `torch.nn.utils.clip_grad_norm_(model.parameters(), ...)` of distributed gradients "
        "does, `model.clip_grad_norm_(...)` of `FullyShardedDataParallel`, or add up the squares by hand, "
        "`dist.all_reduce(norm ** 2)`.",
        severity="warning" if clips else "hint",
        source=log.parameters.get(names[0]),
        others=logs[1:],
    )


def _ops_after(log: RankLog, turn: int) -> dict[int, Op]:
    """What a process computes between a pass and the next."""
    end = log.passes[turn + 1].position if turn + 1 < len(log.passes) else log.log.length
    return {at: op for at, op in log.ops.items() if log.passes[turn].position < at < end}


def _is_norm_of(parts: Mapping[int, str], op: Op) -> bool:
    return "norm" in op.op and not parts.keys().isdisjoint(op.inputs)


def _taken(log: RankLog, turn: int) -> float | None:
    """The norm of all parts together, as the program's own norms of them give it; None where one is not known, or is
    none of squares."""
    parts = _parts(log, log.passes[turn])
    squares: dict[str, float] = {}
    for op in _ops_after(log, turn).values():
        if _is_norm_of(parts, op):
            if {each for _, each in op.attrs if isinstance(each, float)} - {2.0} or len(op.inputs) < len(op.outputs):
                return None
            for part, norm in zip(op.inputs, op.outputs, strict=False):
                value = log.value(norm)
                if part not in parts or not isinstance(value, (np.floating, float)):
                    return None
                squares[parts[part]] = float(value) ** 2
    return float(np.sqrt(sum(squares.values()))) if squares else None


def _total(log: RankLog, of: BackwardPass, names: Sequence[str]) -> float | None:
    """The norm of what a process stored of some gradients; None where one is not known."""
    sizes = [size_of(log.value(of.versions[each][0].tensor)) for each in names if each in of.versions]
    return None if None in sizes else float(np.linalg.norm(np.array(sizes, dtype=np.float64)))


def gathered_twice(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """Layers that are split each gather the same parts, or one gathers what the next splits again."""
    log = logs[0]
    end = log.passes[0].position if log.passes else log.log.length
    moves = {at: op for at, op in log.ops.items() if op.op == REDISTRIBUTE and at < end}
    gathers: dict[int, list[int]] = defaultdict(list)
    for at, op in moves.items():
        if dict(op.attrs).get("collective") == "all_gather":
            gathers[_local(log, op.inputs[0])].append(at)
    for positions in gathers.values():
        if len(positions) > 1:
            yield _gathered(log, positions, moves[positions[0]])
        elif split := _split_again(log, positions[0], moves):
            yield _in_vain(log, positions[0], split)


def _local(log: RankLog, tensor: int) -> int:
    """What a process has of a tensor before it is said to be a part."""
    maker = log.maker(tensor)
    return maker.inputs[0] if maker is not None and maker.op == FROM_LOCAL else tensor


def _gathered(log: RankLog, positions: Sequence[int], op: Op) -> RankFinding:
    name = log.log.tensors[_local(log, op.inputs[0])].name
    lines = listed([words(site_at(log.log, each)) for each in positions])
    return finding(
        "gathered_twice",
        log,
        positions[1],
        f"the parts of {quoted(name) if name else 'one tensor'} are gathered {len(positions)} times, at {lines}: "
        f"{number(op, 'bytes')} bytes of each of {counted(ranks_of(op), 'rank')}, where once would do.",
        "Gather ahead of the layers: `PrepareModuleInput(input_layouts=Shard(0), desired_input_layouts=Replicate())` "
        "for the module around them, and `ColwiseParallel()` for each.",
        severity="hint",
    )


def _split_again(log: RankLog, position: int, moves: Mapping[int, Op]) -> int | None:
    """Where each process takes back the part of a gathered tensor that it had, after nothing but ops entry by entry."""
    gather = log.ops[position]
    shape, placement = log.log.tensors[gather.outputs[0]].shape, log.log.tensors[gather.inputs[0]].placement
    reached = {gather.outputs[0]}
    for at, op in log.ops.items():
        if at <= position or reached.isdisjoint(op.inputs):
            continue
        rows = log.log.tensors
        if at in moves:
            return at if rows[op.inputs[0]].placement == WHOLE and rows[op.outputs[0]].placement == placement else None
        if len(op.inputs) > 1 or any(rows[each].shape != shape for each in op.outputs):
            return None
        reached.update(op.outputs)
    return None


def _in_vain(log: RankLog, gather: int, split: int) -> RankFinding:
    op = log.ops[gather]
    placement = log.log.tensors[op.inputs[0]].placement
    return finding(
        "gathered_twice",
        log,
        gather,
        f"the parts of a result are gathered at {words(site_at(log.log, gather))}, and at "
        f"{words(site_at(log.log, split))} each rank takes back the part that it had, {quoted(str(placement))}: "
        f"{number(op, 'bytes')} bytes of each of {counted(ranks_of(op), 'rank')} in vain, and again on the way back.",
        "Leave the parts where they are between the two layers: `ColwiseParallel()` and then `RowwiseParallel()`, "
        "without `output_layouts=Replicate()` and `input_layouts=Replicate()`.",
        severity="hint",
    )


RULES = (norm_of_a_shard, gathered_twice)
"""Logs of all ranks -> what is wrong with parts."""
