"""One rank's log -> what the rules across ranks ask of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
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
)


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
        rows = [self.log.tensors[each] for each in sorted(self.variables, key=self.trained.__contains__)]
        return {str(row.name): row.id for row in rows if row.name is not None and 0 not in row.shape}

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
    def listed(self) -> dict[int, int]:
        """What optimizers have in their lists -> where they were made, or stepped first."""
        lists = list(self.log.of_kind(OptimizerCreated, OptimizerStepped).items())
        return {tensor: at for at, each in reversed(lists) for tensor in each.parameters}

    @cached_property
    def passes(self) -> list[BackwardPass]:
        """The calls of `backward` that came to their end and left gradients."""
        return list(passes_of(self.log, {tensor: name for name, tensor in self.parameters.items()}))

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
    def ops(self) -> Mapping[int, Op]:
        """Everything that it computed, by the positions."""
        return self.log.of_kind(OpRecorded, OpSkipped)

    @cached_property
    def collectives(self) -> list[tuple[int, Op]]:
        """What it did together with others, in order, with the positions."""
        return [(at, op) for at, op in self.ops.items() if ranks_of(op) > 1]

    def maker(self, tensor: int) -> Op | None:
        """The op that gave a tensor."""
        return self._makers.get(tensor)

    @cached_property
    def _makers(self) -> dict[int, Op]:
        found: dict[int, Op] = {}
        for op in self.ops.values():
            for each in op.outputs:
                found.setdefault(each, op)
        return found

    def value(self, tensor: int, at: int | None = None) -> Any:
        """The elements, or statistics, of a tensor; None where nothing was kept."""
        return self.log.value(tensor, at)
