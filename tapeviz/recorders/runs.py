"""One run back through a tape -> its records: where it begins, what each op sends, what adds up, what it gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.events.log import EventLog
from tapeviz.events.raw import next_id
from tapeviz.events.types import BackwardFinished, BackwardStarted, CotangentAccumulated, VjpApplied


class LoggedRun:
    """The gradients that one call asks for. When an op is pulled back, and which sums there are, each framework tells
    in a way of its own: its recorder's `Sweep` finds out.

    A value is what the log keeps of a gradient: True of one that it keeps nothing of, None where there is none. The
    `raw_ids` are those of gradients that are the results of recorded ops, or the call's own.
    """

    __slots__ = ("_log", "_tape", "id")

    def __init__(self, log: EventLog, tape: int) -> None:
        self._log = log
        self._tape = tape
        self.id = next_id()

    def begin(
        self,
        targets: tuple[int, ...],
        sources: tuple[int, ...],
        seeds: tuple[Any, ...],
        place: Sequence[Any],
        rows: int | None = None,
    ) -> None:
        """The program asks for it at a `place`: the code, the instruction in it, and perhaps the scope.

        `rows` counts those of a Jacobian, which are one run.
        """
        about = (self.id, self._tape, rows)
        self._log.append(BackwardStarted, about, (targets, sources), seeds, (None,) * len(seeds), *place)

    def pull(self, outputs: Any, contributions: tuple[Any, ...], raw_ids: tuple[int | None, ...] | None = None) -> None:
        """The VJP of an op, known by its outputs as its record has them, gave a contribution to each of its inputs."""
        self._log.raw += (VjpApplied, self.id, outputs, contributions, raw_ids, (), (), None, None, -1)

    def sum_up(self, tensor: int, total: Any, raw_id: int | None = None, *, parts: int | None = None) -> None:
        """Contributions to a tensor were added: one more to the sum before, or so many `parts` at once."""
        about = self.id if parts is None else (self.id, parts)
        self._log.raw += (CotangentAccumulated, about, tensor, total, raw_id, (), (), None, None, -1)

    def end(self, raw_ids: tuple[int | None, ...], values: tuple[Any, ...], *, zeros: bool | None = None) -> None:
        """The sources have these gradients; with `zeros` the program gets zeros where there is none."""
        self._log.append(BackwardFinished, self.id, raw_ids, values, zeros)


def one_or_all(parts: tuple[Any, ...]) -> Any:
    """What a record has of the outputs of an op: that of the only one, or a tuple of several."""
    return parts[0] if len(parts) == 1 else parts
