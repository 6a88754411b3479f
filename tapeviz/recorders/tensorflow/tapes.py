"""What happens to TensorFlow's tapes -> records: opened, closed, paused, watching; and which of them follow a tensor.

The C++ tape does not say what it follows, so its rule is kept beside it: an op is recorded if one of its inputs is
followed and of a dtype that has derivatives, and then all of its outputs are followed.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import backprop

from tapeviz.events.raw import next_id
from tapeviz.events.types import (
    Pruned,
    RecordingPaused,
    RecordingResumed,
    TapeClosed,
    TapeOpened,
    TapeReset,
    Watched,
)
from tapeviz.recorders.hooks import ALWAYS
from tapeviz.recorders.patches import Row
from tapeviz.recorders.tensorflow.backward.logged_ops import LoggedOps
from tapeviz.recorders.tensorflow.ledger import Ledger, now, raw_id
from tapeviz.recorders.tensorflow.session import Session
from tapeviz.recorders.tensorflow.tensor_ids import TensorIdSet
from tapeviz.recorders.tensorflow.values import dtype_of, enum_of, is_followed


class TapeState:
    """The state of one tape: its id in the log, and the ids of the tensors that it watches and follows."""

    def __init__(self, accessed: bool, persistent: bool) -> None:
        self.id = next_id()
        self.accessed = accessed
        self.persistent = persistent
        self.watched: set[int] = set()
        self.follows = TensorIdSet(now())


class Tapes:
    """The tapes that the program has opened: which is recording, what it follows, and the C++ tape behind each."""

    def __init__(self, session: Session, ledger: Ledger, logged: LoggedOps) -> None:
        self.session = session
        self.log = session.log
        self.ledger = ledger
        self.logged = logged
        self.open: list[TapeState] = []
        self._known: weakref.WeakKeyDictionary[Any, tuple[Any, TapeState]] = weakref.WeakKeyDictionary()
        self._alive: dict[int, weakref.ref[Any]] = {}
        self._is_logging = True
        self._is_following = True
        self._recorders: dict[tuple[int, ...], tuple[int, ...]] = {}
        ledger.tapes_of = lambda raw: tuple(each.id for each in self.open if raw in each.follows)

    # ----- what they follow -----

    def record(self, inputs: Any, outputs: Any) -> tuple[int, ...]:
        """The ids of the tapes that record an op; from now on they follow its outputs."""
        recording: list[int] = []
        if not self.open or not self._is_following or self._are_stopped():
            return ()
        for tape in self.open:
            follows = tape.follows
            for each in inputs:
                if raw_id(each) in follows and dtype_of(enum_of(each))[2]:
                    follows.update([raw_id(output) for output in outputs])
                    recording.append(tape.id)
                    break
        found = tuple(recording)
        return self._recorders.setdefault(found, found) if recording else ()

    def _are_stopped(self) -> bool:
        """Whether TensorFlow has stopped all tapes here and now."""
        return bool(pywrap_tfe.TFE_Py_TapeSetIsStopped())

    @contextmanager
    def paused(self) -> Iterator[None]:
        """A block whose ops have run in a graph of their own, which tapes do not see; it is logged without a place."""
        self._note(RecordingPaused, self.open)
        self._is_following = False
        try:
            yield
        finally:
            self._is_following = True
            self._note(RecordingResumed, self.open)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """A block that would run in a graph of its own if it were compiled: the open tapes do not record it."""
        objects = {state: tape for tape, (_, state) in self._known.items()}
        stopped = {each: objects[each] for each in self.open}
        self._note(RecordingPaused, stopped)
        with self.unlogged():
            for tape in reversed(stopped.values()):
                tape._pop_tape()
        try:
            yield
        finally:
            left = {each: tape for each, tape in stopped.items() if tape._tape is not None}  # else it was used up
            with self.unlogged():
                for tape in left.values():
                    tape._push_tape()
            self._note(RecordingResumed, left)

    @contextmanager
    def instead(self, tapes: list[TapeState]) -> Iterator[None]:
        """A block of another thread, in which these tapes are open; those that are open here see nothing of it."""
        before = self.open
        self._take_turns(before, tapes)
        try:
            yield
        finally:
            self._take_turns(self.open, before)

    def _take_turns(self, before: list[TapeState], after: list[TapeState]) -> None:
        self._note(RecordingPaused, before)
        self.open = after
        self._note(RecordingResumed, after)

    def _note(self, kind: type, tapes: Iterable[TapeState]) -> None:
        for tape in tapes:
            self.log.append(kind, (tape.id,))

    def access(self, variable: Any) -> None:
        """A variable is about to be read: tapes that watch accessed variables follow it."""
        raw = self.ledger.accessed(variable)
        if not variable.trainable:
            return
        for tape in self.open:
            if tape.accessed and raw not in tape.watched:
                self._watch(tape, raw, "accessed")

    def _watch(self, tape: TapeState, raw: int, how: str) -> None:
        tape.watched.add(raw)
        tape.follows.add(raw)
        code, lasti = None, -1
        if how == "explicit":
            frame = self.session.enter()
            code, lasti = frame.f_code, frame.f_lasti
        self.log.append(Watched, (tape.id,), raw, None, how, code, lasti)

    def state_behind(self, trace: Any) -> TapeState | None:
        """The state of the tape with this C++ tape."""
        return next((state for known, state in self._known.values() if known is trace), None)

    def state_of(self, tape: Any) -> TapeState | None:
        """The state of a tape with its present C++ tape; None if it was opened before the recording."""
        known = self._known.get(tape)
        return known[1] if known is not None and known[0] is tape._tape else None

    def _state_or_new(self, tape: Any) -> TapeState:
        """The state of a tape, which is made if there is none, and is kept until the tape is deleted."""
        state = self.state_of(tape)
        if state is None:
            state = TapeState(tape._watch_accessed_variables, tape._persistent)
            self._known[tape] = tape._tape, state
            number = state.id
            self._alive[number] = weakref.ref(tape, lambda _: self.release(number))
        return state

    # ----- hooks -----

    def rows(self) -> tuple[Row, ...]:
        """Hooks at the methods of the class of tapes, by whatever name the program has imported it."""
        running, tape = self.session.running, backprop.GradientTape
        return (
            running.after(tape, "_push_tape", self._pushed),
            ALWAYS.after(tape, "_pop_tape", self._popped),
            running.after(tape, "watch", self._watched),
            running.instead(tape, "stop_recording", self._pause),
            ALWAYS.instead(tape, "reset", self._reset),
            running.before(tape, "__exit__", self._leaving),
        )

    def _pushed(self, tape: Any) -> None:
        state = self._state_or_new(tape)
        self.open.append(state)
        if self._is_logging:
            self.session.note(TapeOpened, (state.id, tape._persistent, state.accessed))

    def _popped(self, tape: Any) -> None:
        state = self.state_of(tape)
        if state in self.open:
            self.open.remove(state)
            if self._is_logging:
                self.log.append(TapeClosed, (state.id,))

    def _watched(self, tape: Any, tensor: Any) -> None:
        state = self.state_of(tape)
        if state is None:
            return
        frame = self.session.enter()
        for each in backprop._extract_tensors_and_variables(tensor):
            handle = getattr(each, "handle", None)
            if handle is not None:
                self._watch(state, self.ledger.accessed(each), "explicit")
            elif is_followed(self.log, each):
                self._watch(state, self.ledger.mention(each, frame), "explicit")
                state.follows.add(raw_id(each))

    @contextmanager
    def _pause(self, stop: Any, tape: Any) -> Iterator[None]:
        state, inner = self.state_of(tape), stop(tape)
        if state is None:
            with inner:
                yield
            return
        with self.unlogged():
            inner.__enter__()
        self.session.note(RecordingPaused, (state.id,))
        try:
            yield
        finally:
            with self.unlogged():
                inner.__exit__(None, None, None)
            self.log.append(RecordingResumed, (state.id,))

    def _reset(self, reset: Any, tape: Any) -> None:
        before = self.state_of(tape)
        with self.unlogged():
            reset(tape)
        if before is not None and self.session.is_running:
            after = self._known[tape][1]
            self._alive[before.id] = self._alive.pop(after.id)
            after.id = before.id
            self.session.note(TapeReset, (after.id,))

    def _leaving(self, tape: Any, kind: Any, error: Any, traceback: Any) -> None:
        if error is not None:
            self.session.fail(error, traceback)

    @contextmanager
    def unlogged(self) -> Iterator[None]:
        """A block in which TensorFlow itself opens and closes tapes, which is not logged."""
        before, self._is_logging = self._is_logging, False
        try:
            yield
        finally:
            self._is_logging = before

    def release(self, tape: int) -> None:
        """A tape is used up or deleted. With the last one, all recorded ops are forgotten."""
        if self._alive.pop(tape, None) is None:
            return
        if not self.log.closed:
            self.log.append(Pruned, (tape,))
        if not self._alive:
            self.logged.clear()
