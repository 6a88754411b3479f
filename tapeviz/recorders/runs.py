"""One backward pass -> its records: its beginning, the VJP of each op, the sums of contributions, its results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.events.log import EventLog
from tapeviz.events.raw import next_id
from tapeviz.events.types import BackwardFinished, BackwardStarted, CotangentAccumulated, VjpApplied


class LoggedRun:
    """Writes the records of one backward pass; the `Sweep` of each recorder finds out what happens in it.

    A value is what the log stores of a gradient: True if nothing is stored of it, None if there is no gradient. The
    `raw_ids` are those of gradients that are results of recorded ops, or results of the call itself.
    """

    __slots__ = ("_log", "_tape", "id")

    def __init__(self, log: EventLog, tape: int, number: int | None = None) -> None:
        self._log = log
        self._tape = tape
        self.id = next_id() if number is None else number

    def begin(
        self,
        targets: tuple[int, ...],
        sources: tuple[int, ...],
        seeds: tuple[Any, ...],
        place: Sequence[Any],
        rows: int | None = None,
        create_graph: bool | None = None,
    ) -> None:
        """The pass is requested at a `place`: the code, the instruction in it, and perhaps the scope.

        For a Jacobian, whose rows are logged as one run, `rows` is their number. `create_graph`: whether the program
        asked that the result can be differentiated, where it is to say so.
        """
        about = (self.id, self._tape, rows, create_graph)
        self._log.append(BackwardStarted, about, (targets, sources), seeds, (None,) * len(seeds), *place)

    def pull(self, outputs: Any, contributions: tuple[Any, ...], raw_ids: tuple[int | None, ...] | None = None) -> None:
        """The VJP of the op with these outputs has computed a contribution to the gradient of each input."""
        self._log.raw += (VjpApplied, self.id, outputs, contributions, raw_ids, (), (), None, None, -1)

    def sum_up(self, tensor: int, total: Any, raw_id: int | None = None, *, parts: int | None = None) -> None:
        """Contributions to a tensor's gradient were added: one to the sum so far, or all `parts` of them at once."""
        about = self.id if parts is None else (self.id, parts)
        self._log.raw += (CotangentAccumulated, about, tensor, total, raw_id, (), (), None, None, -1)

    def end(self, raw_ids: tuple[int | None, ...], values: tuple[Any, ...], *, zeros: bool | None = None) -> None:
        """The pass has ended with these gradients of the sources; with `zeros`, the program gets zeros for None."""
        self._log.append(BackwardFinished, self.id, raw_ids, values, zeros)


def one_or_all(parts: tuple[Any, ...]) -> Any:
    """The outputs of an op in the form of a record: a single one by itself, several as a tuple."""
    return parts[0] if len(parts) == 1 else parts
