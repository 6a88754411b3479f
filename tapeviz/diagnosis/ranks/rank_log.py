"""One rank's log -> what the rules across ranks ask of it."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.ranks.passes import BackwardPass, Op, is_gather, number, passes_of, ranks_of
from tapeviz.events import (
    BackwardStarted,
    EventLog,
    LeafCreated,
    OpRecorded,
    OpSkipped,
    OptimizerCreated,
    OptimizerStepped,
    StateWritten,
    Unwatched,
    Watched,
)
from tapeviz.events.summary import is_finite, size_of

Place = tuple[str, tuple[str, int] | None]
"""What an op is called, and the file and the line that ran it, if these are known."""
APART = 1e-5
"""The relative distance from which on what two ranks have is not the same."""


class RankLog:
    """One rank's log, as the rules across ranks read it."""

    def __init__(self, rank: int, log: EventLog, findings: Sequence[Finding] = ()) -> None:
        self.rank = rank
        self.log = log
        self.findings = findings

    @cached_property
    def parameters(self) -> dict[str, int]:
        """The trainable variables by name, and those that were made so and frozen since; not those without elements, as
        of a parameter that is all with another process.

        Of several with one name, as before and after a model is wrapped, it is the last that is trained.
        """
        rows = list(map(self.log.tensors.__getitem__, sorted(self.variables, key=self.trained.__contains__)))
        last = {str(row.name): row for row in rows if row.name is not None}
        return {name: row.id for name, row in last.items() if 0 not in row.shape}

    @cached_property
    def variables(self) -> list[int]:
        """Everything that was made to be trained."""
        leaves = self.log.of_kind(LeafCreated).values()
        return list(dict.fromkeys(each.tensor for each in leaves if each.kind == "variable"))

    @cached_property
    def trained(self) -> set[int]:
        """What backward passes were to find gradients of."""
        return {source for each in self.log.of_kind(BackwardStarted).values() for source in each.sources}

    @cached_property
    def wanting(self) -> set[str]:
        """The parameters that want a gradient in the end."""
        last = {each.tensor: each for each in self.log.of_kind(Watched, Unwatched).values()}
        return {name for name, tensor in self.parameters.items() if isinstance(last.get(tensor), Watched)}

    @cached_property
    def listed(self) -> dict[int, int]:
        """What optimizers have in their lists -> where they were made, or stepped first."""
        lists = list(self.log.of_kind(OptimizerCreated, OptimizerStepped).items())
        return {tensor: at for at, each in reversed(lists) for tensor in each.parameters}

    @cached_property
    def passes(self) -> list[BackwardPass]:
        """The calls of `backward` that came to their end and left gradients."""
        names = {tensor: name for name, tensor in self.parameters.items()}
        return self.log.once("passes of a rank", lambda: list(passes_of(self.log, names)))

    @cached_property
    def begun(self) -> list[int]:
        """Where passes that are to find gradients of parameters began; they may have come to no end."""
        own = set(self.parameters.values())
        return [at for at, each in self.log.of_kind(BackwardStarted).items() if not own.isdisjoint(each.sources)]

    @cached_property
    def shared_out(self) -> set[str]:
        """The parameters of which this process has a part alone: others have other numbers, or none."""
        names = {tensor: name for name, tensor in self.parameters.items()}
        placed = {name for tensor, name in names.items() if "Shard" in (self.log.tensors[tensor].placement or "")}
        gathers = [(op, number(op, "ranks")) for op in self.ops.values() if is_gather(op)]
        parts, alone = (
            {names[each] for op, ranks in gathers if (ranks > 1) is several for each in op.inputs if each in names}
            for several in (True, False)
        )
        return (placed - alone) | parts

    @cached_property
    def averaged(self) -> set[int]:
        """The parameters that the program itself makes the same on all ranks, now and then."""
        return {each.tensor for each in self.log.of_kind(StateWritten).values() if each.how.startswith("dist.")}

    @cached_property
    def ops(self) -> Mapping[int, Op]:
        """Everything that it computed, by the positions."""
        return self.log.of_kind(OpRecorded, OpSkipped)

    def between(self, start: int, end: int) -> Iterator[tuple[int, Op]]:
        """What it computed after one position, and ahead of another."""
        first, last = bisect_right(self._positions, start), bisect_left(self._positions, end)
        return ((at, self.ops[at]) for at in self._positions[first:last])

    @cached_property
    def _positions(self) -> list[int]:
        return list(self.ops)

    @cached_property
    def collectives(self) -> list[tuple[int, Op]]:
        """What it did together with others, in order, with the positions."""
        return [(at, op) for at, op in self.ops.items() if ranks_of(op) > 1]

    def place(self, op: Op) -> Place:
        """What tells an op from others, on this rank and beside those of other ranks."""
        return op.op, None if op.site is None else self._lines[op.site]

    @cached_property
    def _lines(self) -> list[tuple[str, int]]:
        return [(site.filename, site.line) for site in self.log.sites]

    def maker(self, tensor: int) -> Op | None:
        """The op that gave a tensor."""
        made = self.made_at(tensor)
        return None if made is None else made[1]

    def made_at(self, tensor: int) -> tuple[int, Op] | None:
        """The same, with its position."""
        return self._makers.get(tensor)

    @cached_property
    def _makers(self) -> dict[int, tuple[int, Op]]:
        found: dict[int, tuple[int, Op]] = {}
        for position, op in self.ops.items():
            for each in op.outputs:
                found.setdefault(each, (position, op))
        return found

    def size(self, tensor: int) -> float | None:
        """The norm of a tensor; None where nothing is known of it."""
        if tensor not in self.sizes:
            self.sizes[tensor] = size_of(self.log.value(tensor))
        return self.sizes[tensor]

    def is_finite(self, tensor: int) -> bool:
        """Whether no element of a tensor is known to be NaN or infinite."""
        size = self.size(tensor)
        return size is None or math.isfinite(size) or is_finite(self.log.value(tensor))

    @cached_property
    def sizes(self) -> dict[int, float | None]:
        """The norms of gradients, found together, and of what else was asked for."""
        return self.log.once("norms of a rank", self._found_together)

    def _found_together(self) -> dict[int, float | None]:
        arrived = (of.arrived.values() for of in self.passes)
        stored = ((each.tensor for some in of.versions.values() for each in some) for of in self.passes)
        tensors = list(dict.fromkeys(chain(*arrived, *stored)))
        return dict(zip(tensors, self.log.norms(tensors), strict=True))

    def value(self, tensor: int, at: int | None = None) -> Any:
        """The elements, or statistics, of a tensor; None where nothing was kept, or at a position before what was."""
        versions = () if at is None else self.log.versions(tensor)
        return None if versions and at is not None and versions[0][0] > at else self.log.value(tensor, at)
