"""Logs, one per step of a training loop -> norms, None and NaN per variable over the steps, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tapeviz.errors import LogError
from tapeviz.events import EventLog
from tapeviz.events.outcome import Outcome, SourceKey, Successive, identity, name_in
from tapeviz.live import history_file, history_plot, history_table
from tapeviz.live.column import Column
from tapeviz.live.named_gradients import outcomes_by_name
from tapeviz.live.trouble import Trouble, troubles
from tapeviz.markup.text import Report, lines, plain
from tapeviz.phrases import NO_GRADIENT, counted
from tapeviz.validation import whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WAITING_STEPS = 256
WAITING_BYTES = 1 << 20
"""Up to so many steps and bytes wait for being measured together, which is what makes a step cheap."""


class _KeyOfFile(NamedTuple):
    """The key of a column that was read from a file, until a variable of that name gets a gradient."""

    name: str


class History:
    """The norms of gradients and values per variable over the steps of a training loop.

    Call `add` at every step: with the tape or the log, with a PyTorch model after `backward`, which needs no recording,
    or with gradients by name, as `jax.grad` gives them. All steps are kept up to `limit`, then every second one, every
    fourth, and so on; the step at which a gradient first was None, NaN, infinite or zero is never forgotten.

    Args:
        limit: how many steps are kept at most, per variable.

    Raises:
        ValueError: `limit` below 2.

    >>> import tapeviz as tv
    >>> w = tv.Variable([1.0, 2.0], name="w")
    >>> history = History()
    >>> for step in range(3):
    ...     with tv.GradientTape() as tape:
    ...         loss = tv.reduce_sum(w * w)
    ...     _ = w.assign_sub(0.25 * tape.gradient(loss, w))
    ...     history.add(tape)
    >>> history
    <History: 3 steps, 1 variable>
    >>> [round(norm, 3) for norm in history["w"].gradients]
    [4.472, 2.236, 1.118]
    """

    def __init__(self, limit: int = 10_000) -> None:
        if whole(limit, "limit", "a number of steps") < 2:
            raise ValueError(f"limit must be at least 2 steps, got {limit}.")
        self.limit = limit
        self.count = 0
        self._columns: dict[Any, Column] = {}
        self._met: dict[SourceKey, Column] = {}
        self._outcomes = Successive()
        self._waiting = 0
        self._bytes_a_step = 0
        self._thinned = 1

    # ----- while the program runs -----

    def add(self, subject: Any) -> None:
        """Add one step: what its backward passes gave.

        Args:
            subject: a tape or a log; or a model of PyTorch's, whose parameters have their `.grad`; or the gradients by
                name, in a dict, which may be nested, or in a data class. None among these says that none arrived.

        Raises:
            LogError: no gradient was taken.
            TypeError: it is none of these.

        >>> history = History()
        >>> history.add({"dense": {"kernel": np.array([3.0, 4.0]), "bias": None}})
        >>> history.table()
        gradient norms over 1 step
        variable      first  last  smallest  largest  |value|  trouble
        dense.kernel  5.0    5.0   5.0       5.0      -
        dense.bias    -      -     -         -        -        None first at step 0
        """
        log: Any = getattr(subject, "log", None)
        found = self._outcomes.of(log) if isinstance(log, EventLog) else outcomes_by_name(subject)
        if not found:
            raise LogError(
                f"{NO_GRADIENT}, then `history.add` what has it: the tape, the log, the model or the gradients."
            )
        for outcome in found:
            column = self._met.get(outcome[0]) or self._meet(log, outcome)
            column.waiting.append((self.count, outcome))
        self.count += 1
        self._waiting += 1
        if self._waiting >= WAITING_STEPS or self._waiting * self._bytes_a_step > WAITING_BYTES:
            self._measure()

    def _meet(self, log: EventLog, outcome: Outcome) -> Column:
        """A source is met for the first time: it gets a column, or that of its line's earlier constants."""
        source, value, _ = outcome
        key = identity(log, source)
        if key not in self._columns:
            name = self._free_name(name_in(log, source) or "variable")
            self._columns[key] = self._columns.pop(_KeyOfFile(name), Column(name))
            self._bytes_a_step += 2 * value.nbytes if type(value) is np.ndarray else 0
        if key == source:
            self._met[source] = self._columns[key]
        return self._columns[key]

    def _free_name(self, name: str) -> str:
        """The name, with a number behind it if another variable has it; one that a file gave may still be taken."""
        taken = {column.name for key, column in self._columns.items() if not isinstance(key, _KeyOfFile)}
        candidates = (name, *(f"{name} ({number})" for number in range(2, len(taken) + 2)))
        return next(each for each in candidates if each not in taken)

    def _measure(self) -> None:
        """Measure what waits, and keep fewer steps where there are too many."""
        self._waiting = 0
        stride = self.stride
        for column in self._columns.values():
            column.measure(stride)
            if stride != self._thinned:
                column.thin(stride)
        self._thinned = stride

    # ----- for readers -----

    @property
    def stride(self) -> int:
        """Every how many-th step is kept: a power of 2."""
        return 1 << (-(-self.count // self.limit) - 1).bit_length() if self.count else 1

    @property
    def columns(self) -> list[Column]:
        """One column per variable, in the order in which they were met."""
        self._measure()
        return list(self._columns.values())

    @property
    def troubles(self) -> list[Trouble]:
        """Where gradients became None, NaN, infinite or zero, began to vanish or to explode; the earliest first."""
        return troubles(self.columns)

    def __getitem__(self, name: str) -> Column:
        """The column of the variable of that name.

        Raises:
            KeyError: there is none.
        """
        found = {column.name: column for column in self.columns}
        if name not in found:
            raise KeyError(f"no variable {name!r} in this history; it has {', '.join(found) or 'none yet'}")
        return found[name]

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __len__(self) -> int:
        """The number of steps that were added."""
        return self.count

    def plot(self, axes: Axes | None = None) -> Axes:
        """Plot the gradient norm of every variable over the steps, with a mark where each trouble began.

        Args:
            axes: where to plot; by default in a new figure, made by `plt.figure` and so shown in a notebook.

        Returns:
            The axes.
        """
        return history_plot.plot(self.columns, self.troubles, axes)

    def table(self) -> Report:
        """What happened to every variable, as plain text.

        >>> History().table()
        no step yet: call history.add(tape) after tape.gradient(...)
        """
        return Report(history_table.table(self.columns, self.troubles, self.count))

    def to_parquet(self, path: str | Path) -> Path:
        """Write the history to a Parquet file, one row per variable and step.

        Returns:
            The path of the file.

        Raises:
            ModuleNotFoundError: pyarrow is not installed.
        """
        return history_file.write(self.columns, self.count, self.limit, path)

    @classmethod
    def from_parquet(cls, path: str | Path) -> History:
        """Read a history that `to_parquet` wrote; it can go on.

        Raises:
            ModuleNotFoundError: pyarrow is not installed.
            ValueError: the file holds something else.
        """
        columns, count, limit = history_file.read(path)
        history = cls(limit)
        history.restore(count, columns)
        return history

    def restore(self, count: int, columns: list[Column]) -> None:
        """Take over what a file holds; a variable of the program that goes on is known by its name."""
        self.count = count
        self._thinned = self.stride
        self._columns = {_KeyOfFile(column.name): column for column in columns}

    def __repr__(self) -> str:
        thinned = f", every {self.stride}th kept" if self.stride > 1 else ""
        return f"<History: {counted(self.count, 'step')}{thinned}, {counted(len(self._columns), 'variable')}>"

    def _repr_html_(self) -> str:
        return lines([repr(self)[1:-1]]) + plain(self.table())
