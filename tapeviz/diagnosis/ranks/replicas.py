"""Logs of several ranks -> Findings about tensors that all of them are to have alike, and where these part.

What a program takes for one tensor may differ since data do, or since an op that was given the same draws at random.
The ops that led to it are walked back on all ranks together, as long as what they were given is not the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tapeviz.diagnosis.ranks.passes import OWN_PART, Op, ranks_of
from tapeviz.diagnosis.ranks.rank_finding import RankFinding, finding, on_ranks
from tapeviz.diagnosis.ranks.rank_log import APART, RankLog
from tapeviz.diagnosis.ranks.shards import FROM_LOCAL, WHOLE
from tapeviz.diagnosis.wording.places import words
from tapeviz.events.raw import IN_PLACE
from tapeviz.phrases import quoted
from tapeviz.source.places import site_at

LEAVES_THE_SAME = frozenset({"all_reduce", "all_gather"})
"""Collectives after which all ranks of a group have one tensor."""


@dataclass(frozen=True)
class RankTensor:
    """What one rank has of a tensor, at a position of its log."""

    log: RankLog
    tensor: int
    position: int

    @property
    def maker(self) -> Op | None:
        """The op that gave it; None of a leaf."""
        return self.log.maker(self.tensor)

    @property
    def value(self) -> np.ndarray | None:
        """Its elements, as far as they are known."""
        found = self.log.value(self.tensor, self.position)
        return np.asarray(found) if isinstance(found, (np.ndarray, np.generic)) else None

    def is_of_all(self, count: int) -> bool:
        """Whether a collective of so many ranks has given it, which leaves the same on each."""
        op = self.maker
        while op is not None and op.op in OWN_PART:
            op = self.log.maker(op.inputs[0])
        return op is not None and ranks_of(op) >= count and dict(op.attrs).get("collective") in LEAVES_THE_SAME


RankTensors = Sequence[RankTensor]
"""What all ranks of a mesh have of a tensor."""


def unequal_replicas(logs: Sequence[RankLog]) -> Iterator[RankFinding]:
    """What the program gives for a tensor that all processes have alike is not alike, as data of another seed."""
    meshes: defaultdict[object, list[RankTensors]] = defaultdict(list)
    for calls in zip(*(_replicated(log) for log in logs), strict=False):
        for mesh in dict.fromkeys(mesh for mesh, _ in calls):
            meshes[mesh].append([each for of, each in calls if of == mesh])
    for calls_of in meshes.values():
        found = next((each for replicas in calls_of for each in _unequal(replicas, calls_of)), None)
        if found is not None:
            yield found
            return


def _replicated(log: RankLog) -> list[tuple[object, RankTensor]]:
    """Where tensors are said to be the same on all ranks of a mesh."""
    rows = log.log.tensors
    return [
        (dict(op.attrs).get("mesh"), RankTensor(log, op.inputs[0], at))
        for at, op in log.ops.items()
        if op.op == FROM_LOCAL and rows[op.outputs[0]].placement == WHOLE
    ]


def _unequal(replicas: RankTensors, calls: Sequence[RankTensors]) -> Iterator[RankFinding]:
    """What the ranks of one mesh are to have alike, and have not, if it is known why."""
    if not _apart(replicas):
        return
    if any(each.maker is None for each in replicas):
        yield _of_data(replicas, calls)
        return
    source = _source(replicas)
    if source is not None and source[0].maker is not None:
        yield _of_a_draw(replicas, source)
    elif source is not None:
        yield _of_data(source, [source])


def _apart(replicas: RankTensors) -> list[RankLog]:
    """The ranks that have other numbers than the first, where the numbers of all are known, and of one shape."""
    values = [each.value for each in replicas]
    known = [each for each in values if each is not None]
    if len(known) < len(replicas) or len({each.shape for each in known}) > 1:
        return []
    limit = APART * float(np.linalg.norm(known[0].astype(np.float64)))
    norms = [float(np.linalg.norm(each.astype(np.float64) - known[0])) for each in known]
    return [each.log for each, norm in zip(replicas, norms, strict=True) if norm > limit]


def _source(replicas: RankTensors) -> RankTensors | None:
    """Where tensors that are not alike part: data, or the results of an op that was given the same on all ranks. None
    where that is not known, or where a variable is not the same, or where ranks are to have parts of their own."""
    seen: set[int] = set()
    while True:
        makers = [each.maker for each in replicas]
        ops = [each for each in makers if each is not None]
        if not ops:
            roles = {each.log.log.tensors[each.tensor].role for each in replicas}
            return replicas if roles == {"constant"} else None
        first = ops[0]
        is_one = len(ops) == len(replicas) and len({(each.op, each.attrs, len(each.inputs)) for each in ops}) == 1
        if not is_one or first.outputs[0] in seen or ranks_of(first) > 1 or IN_PLACE in first.attrs:
            return None
        seen.add(first.outputs[0])
        given = [
            [RankTensor(each.log, op.inputs[slot], each.position) for each, op in zip(replicas, ops, strict=True)]
            for slot in range(len(first.inputs))
        ]
        given = [some for some in given if not all(each.is_of_all(len(some)) for each in some)]
        if any(each.value is None or each.log.log.tensors[each.tensor].placement for some in given for each in some):
            return None
        unequal = [some for some in given if _apart(some)]
        if not unequal:
            return replicas
        if len(unequal) > 1:
            return None
        replicas = unequal[0]


def _of_data(replicas: RankTensors, calls: Sequence[RankTensors]) -> RankFinding:
    first, others = replicas[0], _apart(replicas)
    name = first.log.log.tensors[first.tensor].name
    site = first.log.ops[first.position].site
    alike = [each for each in calls if each[0].log.ops[each[0].position].site == site]
    order = f" There are the same rows on {on_ranks(others)}, in another order." if _in_another_order(alike) else ""
    return finding(
        "unequal_replicas",
        first.log,
        first.position,
        f"{quoted(name) if name else 'the input'} is taken for one tensor that all ranks of the mesh have alike, "
        f"{quoted(WHOLE)}, at {words(site_at(first.log.log, first.position))}, and has other numbers on "
        f"{on_ranks(others)} than on {on_ranks([first.log])}: what the ranks compute together mixes these.{order}",
        "Give the ranks that compute one model together the same examples in the same order: seed by the "
        "position in the data-parallel group, not by the rank.",
        severity="error",
        others=others,
    )


def _in_another_order(calls: Sequence[RankTensors]) -> bool:
    """Whether all ranks have the same rows in the end, in calls that are all known: more than one kind of them."""
    found: defaultdict[RankLog, Counter[bytes]] = defaultdict(Counter)
    for each in (each for replicas in calls for each in replicas):
        value = each.value
        if value is None or value.ndim < 1:
            return False
        found[each.log].update(row.tobytes() for row in value)
    first, *others = found.values()
    return len(first) > 1 and all(each == first for each in others)


def _of_a_draw(replicas: RankTensors, source: RankTensors) -> RankFinding:
    """An op was given the same, and gives others: it draws at random."""
    first, others = source[0], _apart(replicas)
    log, maker = first.log, first.maker
    at = next(position for position, op in log.ops.items() if op is maker)
    taken = words(site_at(log.log, replicas[0].position))
    return finding(
        "unequal_replicas",
        log,
        at,
        f"{quoted('' if maker is None else maker.op)} at {words(site_at(log.log, at))} is given the same on all ranks, "
        f"and draws other numbers on {on_ranks(others)} than on {on_ranks([log])}; what comes of it is taken for one "
        f"tensor that all ranks of the mesh have alike, {quoted(WHOLE)}, at {taken}: what the ranks compute together "
        "mixes these.",
        "Give the ranks that compute one model together the same random state for what all of them have: seed by the "
        "position in the data-parallel group, not by the rank.",
        severity="error",
        others=others,
    )


RULES = (unequal_replicas,)
"""Logs of all ranks -> what is wrong with replicas."""
