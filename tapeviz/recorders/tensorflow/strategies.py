"""Replicas of `MirroredStrategy` -> the recorded program, one after the other.

Each replica runs in a thread of its own, of which only one runs at a time: the program's thread waits for all of them,
and they for it wherever they meet (`merge_call`). So the recording goes with whoever runs. Tapes do not: each thread
has its own, and none that is open around `run` sees what a replica computes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import get_ident
from types import FrameType
from typing import Any, NamedTuple

from tensorflow.python.distribute import mirrored_run

from tapeviz.events.program.frames import leave, open_scopes, resume, waiting_for
from tapeviz.events.raw import ScopeNode
from tapeviz.phrases import ANOTHER_THREAD
from tapeviz.recorders.hooks import ALWAYS
from tapeviz.recorders.patches import Row
from tapeviz.recorders.scopes import Scoped
from tapeviz.recorders.session import recorded
from tapeviz.recorders.tensorflow.session import Session
from tapeviz.recorders.tensorflow.tapes import Tapes, TapeState


class _Place(NamedTuple):
    """Where the program's thread waits: its id and open tapes, the user's frame, the scope there and how deep it is."""

    thread: int
    tapes: list[TapeState]
    frame: FrameType
    scope: ScopeNode | None
    depth: int


class Strategies:
    """Passes the recording to the thread of a replica, and back to the program's."""

    def __init__(self, session: Session, tapes: Tapes) -> None:
        self._session = session
        self._log = session.log
        self._tapes = tapes
        self._waiting: dict[int, _Place] = {}

    def rows(self) -> tuple[Row, ...]:
        """Hooks at a replica's thread as it is made, and at the place where replicas wait for each other."""
        return (
            self._session.running.after(mirrored_run._MirroredReplicaThread, "__init__", self._join),
            ALWAYS.instead(mirrored_run._MirroredReplicaContext, "_merge_call", self._merge),
        )

    def _join(self, thread: Any, *args: Any, **kwargs: Any) -> None:
        session, log = self._session, self._log
        frame = session.enter()
        place = _Place(session.thread, self._tapes.open, frame, log.scope, len(log.path))
        thread.main_fn = partial(self._run, thread.main_fn, f"replica {thread.replica_id} {ANOTHER_THREAD}", place)

    def _run(self, function: Callable[..., Any], name: str, place: _Place, *args: Any, **kwargs: Any) -> Any:
        thread = get_ident()
        recorded.set(self._log)
        self._waiting[thread], waiting_for[thread] = place, place.frame
        try:
            with self._turn(thread, []), Scoped(self._log, name, place.frame, sys._getframe()):
                return function(*args, **kwargs)
        finally:
            del self._waiting[thread], waiting_for[thread]

    open_scopes(_run.__code__)

    def _merge(self, merge: Any, replica: Any, *args: Any, **kwargs: Any) -> Any:
        """A replica waits, and meanwhile the program's thread runs, and other replicas."""
        place = self._waiting.get(get_ident())
        if place is None:
            return merge(replica, *args, **kwargs)
        log = self._log
        frame, scope, calls = log.frame, log.scope, list(log.path.items())[place.depth :]
        leave(log.path, place.depth)
        resume(log, place.frame, place.scope)
        try:
            with self._turn(place.thread, place.tapes):
                return merge(replica, *args, **kwargs)
        finally:
            leave(log.path, place.depth)
            log.path.update(calls)
            resume(log, frame, scope)

    @contextmanager
    def _turn(self, thread: int, tapes: list[TapeState]) -> Iterator[None]:
        """A block in which another thread is the one that is recorded, with its own tapes."""
        before, self._session.thread = self._session.thread, thread
        try:
            with self._tapes.instead(tapes):
                yield
        finally:
            self._session.thread = before
