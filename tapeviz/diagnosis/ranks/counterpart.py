"""Two ranks' logs -> Counterpart: of everything that the one did, what the other did in its place."""

from __future__ import annotations

from collections.abc import Sequence

from tapeviz.diagnosis.ranks.alignment import align
from tapeviz.diagnosis.ranks.passes import Op
from tapeviz.diagnosis.ranks.rank_log import Place, RankLog


class Counterpart:
    """What a rank did beside another, the `base`; positions and tensors are the base's where nothing else is said.

    Attributes:
        log: of the rank.
        instead: position -> the op that the rank has there in place of that, None where it has none.
        also: position -> the ops that the rank has ahead of that, or after the last, and the base has not.
        end: position from which on the rank's log has nothing more.
        places: position in the rank's log -> that of its counterpart.
        tensors: tensor -> the rank's own.
    """

    def __init__(self, base: RankLog, log: RankLog) -> None:
        self.log = log
        self.instead: dict[int, str | None] = {}
        self.also: dict[int, list[str]] = {}
        self.places: dict[int, int] = {}
        self.tensors: dict[int, int] = {}
        own, others = _places(base), _places(log)
        found = align(own, others)
        positions, theirs = [*base.ops], [*log.ops]
        self.end = positions[found.end] if found.end < len(positions) else base.log.length
        self._compared = found.end
        for index, at in enumerate(found.counterparts[: found.end]):
            position = positions[index]
            if at is None:
                self.instead[position] = None
                continue
            if own[index] != others[at]:
                self.instead[position] = log.ops[theirs[at]].op
            self.places[theirs[at]] = position
            self._pair(base.ops[position], log.ops[theirs[at]])
        for index, more in found.inserted.items() if positions else ():
            self.also[positions[min(index, len(positions) - 1)]] = [log.ops[theirs[at]].op for at in more]
        for name, tensor in base.parameters.items():
            if name in log.parameters:
                self.tensors[tensor] = log.parameters[name]

    @property
    def is_alike(self) -> bool:
        """Whether it did most of what the base did, as far as it came: else it ran another program."""
        return 2 * len(self.instead) <= self._compared

    def norms(self, tensors: Sequence[int]) -> list[float | None]:
        """The norms of the rank's own, in place of some tensors; None where there is none, or no number is known."""
        own = [self.tensors.get(each, -1) for each in tensors]
        known = [each for each in own if each >= 0]
        found = iter(self.log.log.norms(known))
        return [None if each < 0 else next(found) for each in own]

    def _pair(self, own: Op, other: Op) -> None:
        """Ops that stand for each other compute counterparts, of counterparts where they take as many."""
        self.tensors.update(zip(own.outputs, other.outputs, strict=False))
        if len(own.inputs) == len(other.inputs):
            self.tensors.update(zip(own.inputs, other.inputs, strict=True))


def _places(log: RankLog) -> list[Place]:
    """What tells the ops of a log apart, in order."""
    return log.log.once("ops told apart", lambda: [log.place(op) for op in log.ops.values()])
