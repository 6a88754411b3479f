"""One recording of JAX as it runs: the user's place, and what of JAX's work is the recorder's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING

from jax._src import core as traces

from tapeviz.events.log import EventLog
from tapeviz.recorders.jax.ledger import Ledger
from tapeviz.recorders.jax.levels import lowest
from tapeviz.recorders.jax.places import Place
from tapeviz.recorders.session import Session as AnySession

if TYPE_CHECKING:
    from tapeviz.recorders.jax.inside import Probe


class Session(AnySession):
    """The state that the parts of the recorder share; `probe` is what looks into a compiled function, if one does.

    While it `is_looking`, a function of the program's is traced for the log alone; `called` is what a library calls the
    arrays in that trace, by their ids.
    """

    def __init__(self, log: EventLog) -> None:
        super().__init__(log)
        self.ledger = Ledger()
        self.probe: Probe | None = None
        self._is_paused = False
        self.is_looking = False
        self.called: dict[int, str] = {}

    @property
    def is_here(self) -> bool:
        """Whether what JAX does now, in the thread that is recorded, is the program's."""
        return not self._is_paused and super().is_here

    @property
    def is_seen(self) -> bool:
        """Whether what JAX traces now can be told of: what runs as it is called, or what is looked at."""
        if self.probe is not None:
            return self.probe.is_here
        return isinstance(lowest(traces.trace_ctx.trace), traces.EvalTrace)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """A block in which what JAX does is not the program's own, or is a part of what is looked at already."""
        before, self._is_paused = self._is_paused, True
        try:
            yield
        finally:
            self._is_paused = before

    @contextmanager
    def looking(self) -> Iterator[Mapping[int, str]]:
        """A block in which what is traced goes into the log, and into no program; what arrays are called there."""
        before, self.is_looking, self.called = (self.is_looking, self.called), True, {}
        try:
            yield self.called
        finally:
            self.is_looking, self.called = before

    def fail(self, error: BaseException, traceback: TracebackType | None = None) -> None:
        """Unless it is raised to a function that is looked into."""
        if self.probe is None:
            super().fail(error, traceback)

    @contextmanager
    def probing(self, probe: Probe) -> Iterator[None]:
        """A block in which a function is traced to look into it."""
        before, self._is_paused, self.probe = self._is_paused, False, probe
        try:
            yield
        finally:
            self._is_paused, self.probe = before, None

    def here_now(self) -> Place:
        """The user's instruction that runs, and its scope."""
        frame = self.enter(1)
        return Place(self.log.scope, frame.f_code, frame.f_lasti)
