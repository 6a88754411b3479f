"""What TensorFlow's tapes do -> their records: opened, closed, paused, watching; and which of them follow a tensor.

The C++ tape does not say what it follows, so its rule is kept beside it: an op is recorded if one of its inputs is
followed and of a dtype that has derivatives, and then all of its outputs are followed.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import backprop

from tapeviz.events.program.raised import note_error
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
from tapeviz.recorders.patches import Patches
from tapeviz.recorders.tensorflow.backward.logged_ops import LoggedOps
from tapeviz.recorders.tensorflow.known import Known
from tapeviz.recorders.tensorflow.ledger import Ledger, now, raw_id
from tapeviz.recorders.tensorflow.values import dtype_of, is_eager


class Followed:
    """One tape's own memory: its id in the log, and the ids of the tensors it follows."""

    def __init__(self, accessed: bool, persistent: bool) -> None:
        self.id = next_id()
        self.accessed = accessed
        self.persistent = persistent
        self.watched: set[int] = set()
        self.follows = Known(now())


class Tapes:
    """The tapes of the program, by the C++ trace behind each."""

    def __init__(self, ledger: Ledger, logged: LoggedOps, here: Callable[[], bool]) -> None:
        self.ledger = ledger
        self.logged = logged
        self.log = ledger.log
        self.open: list[Followed] = []
        self._here = here
        self._known: weakref.WeakKeyDictionary[Any, tuple[Any, Followed]] = weakref.WeakKeyDictionary()
        self._alive: dict[int, weakref.ref[Any]] = {}
        self._quiet = False
        self._paused = False
        self._recorders: dict[tuple[int, ...], tuple[int, ...]] = {}
        ledger.tapes_of = lambda raw: tuple(each.id for each in self.open if raw in each.follows)

    # ----- what they follow -----

    def record(self, inputs: Any, outputs: Any) -> tuple[int, ...]:
        """The ids of the tapes that record an op, which from here on follow its outputs."""
        recording: list[int] = []
        if not self.open or self._paused or pywrap_tfe.TFE_Py_TapeSetIsStopped():
            return ()
        for tape in self.open:
            follows = tape.follows
            for each in inputs:
                if raw_id(each) in follows and dtype_of(each._datatype_enum())[2]:
                    follows.update([raw_id(output) for output in outputs])
                    recording.append(tape.id)
                    break
        found = tuple(recording)
        return self._recorders.setdefault(found, found) if recording else ()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """What is recorded in the block ran in a graph of its own, which no tape sees; no line asked for that."""
        self._note(RecordingPaused, self.open)
        self._paused = True
        try:
            yield
        finally:
            self._paused = False
            self._note(RecordingResumed, self.open)

    @contextmanager
    def left_out(self) -> Iterator[None]:
        """What runs in the block would have run in a graph of its own: the tapes that are open now are stopped."""
        objects = {followed: tape for tape, (_, followed) in self._known.items()}
        stopped = {each: objects[each] for each in self.open}
        self._note(RecordingPaused, stopped)
        with self.quietly():
            for tape in reversed(stopped.values()):
                tape._pop_tape()
        try:
            yield
        finally:
            left = {each: tape for each, tape in stopped.items() if tape._tape is not None}  # else it was used up
            with self.quietly():
                for tape in left.values():
                    tape._push_tape()
            self._note(RecordingResumed, left)

    def _note(self, kind: type, tapes: Iterable[Followed]) -> None:
        for tape in tapes:
            self.log.append(kind, (tape.id,))

    def access(self, variable: Any) -> None:
        """A variable is about to be read: tapes that watch what is accessed follow it."""
        raw = self.ledger.accessed(variable)
        if not variable.trainable:
            return
        for tape in self.open:
            if tape.accessed and raw not in tape.watched:
                self._watch(tape, raw, "accessed")

    def _watch(self, tape: Followed, raw: int, how: str) -> None:
        tape.watched.add(raw)
        tape.follows.add(raw)
        code, lasti = None, -1
        if how == "explicit":
            frame = self.ledger.enter()
            code, lasti = frame.f_code, frame.f_lasti
        self.log.append(Watched, (tape.id,), raw, None, how, code, lasti)

    def of(self, trace: Any) -> Followed | None:
        """What is known of the tape behind a C++ trace."""
        return next((followed for known, followed in self._known.values() if known is trace), None)

    def current(self, tape: Any) -> Followed | None:
        known = self._known.get(tape)
        return known[1] if known is not None and known[0] is tape._tape else None

    def adopt(self, tape: Any) -> Followed:
        """The memory of a tape; of one that is not known yet, a new one, and the log says that it is open."""
        known = self.current(tape)
        if known is None:
            known = Followed(tape._watch_accessed_variables, tape._persistent)
            self._known[tape] = tape._tape, known
            number = known.id
            self._alive[number] = weakref.ref(tape, lambda _: self.release(number))
        return known

    # ----- hooks -----

    def install(self, patches: Patches) -> None:
        """Notice what is done with every tape, by whatever name the program has imported the class."""
        cls = backprop.GradientTape
        patches.wrap(cls, "_push_tape", self._push)
        patches.wrap(cls, "_pop_tape", self._pop)
        patches.wrap(cls, "watch", self._watching)
        patches.wrap(cls, "stop_recording", self._pausing)
        patches.wrap(cls, "reset", self._resetting)
        patches.wrap(cls, "__exit__", self._leaving)

    def _push(self, push: Any) -> Any:
        def _push_tape(tape: Any) -> None:
            push(tape)
            if not self._here():
                return
            followed = self.adopt(tape)
            self.open.append(followed)
            if not self._quiet:
                frame = self.ledger.enter()
                about = (followed.id, tape._persistent, followed.accessed)
                self.log.append(TapeOpened, about, None, None, None, frame.f_code, frame.f_lasti)

        return _push_tape

    def _pop(self, pop: Any) -> Any:
        def _pop_tape(tape: Any) -> None:
            followed = self.current(tape)
            pop(tape)
            if followed in self.open:
                self.open.remove(followed)
                if not self._quiet:
                    self.log.append(TapeClosed, (followed.id,))

        return _pop_tape

    def _watching(self, watch: Any) -> Any:
        def watching(tape: Any, tensor: Any) -> None:
            watch(tape, tensor)
            followed = self.current(tape)
            if followed is None or not self._here():
                return
            frame = self.ledger.enter()
            for each in backprop._extract_tensors_and_variables(tensor):
                handle = getattr(each, "handle", None)
                if handle is not None:
                    self._watch(followed, self.ledger.accessed(each), "explicit")
                elif is_eager(each):
                    self._watch(followed, self.ledger.mention(each, frame), "explicit")
                    followed.follows.add(raw_id(each))

        return watching

    def _pausing(self, stop: Any) -> Any:
        @contextmanager
        def stop_recording(tape: Any) -> Iterator[None]:
            followed = self.current(tape)
            if followed is None or not self._here():
                with stop(tape):
                    yield
                return
            inner = stop(tape)
            frame = self.ledger.enter()
            with self.quietly():
                inner.__enter__()
            self.log.append(RecordingPaused, (followed.id,), None, None, None, frame.f_code, frame.f_lasti)
            try:
                yield
            finally:
                with self.quietly():
                    inner.__exit__(None, None, None)
                self.log.append(RecordingResumed, (followed.id,))

        return stop_recording

    def _resetting(self, reset: Any) -> Any:
        def resetting(tape: Any) -> None:
            before = self.current(tape)
            with self.quietly():
                reset(tape)
            if before is None or not self._here():
                return
            after = self._known[tape][1]
            self._alive[before.id] = self._alive.pop(after.id)
            after.id = before.id
            frame = self.ledger.enter()
            self.log.append(TapeReset, (after.id,), None, None, None, frame.f_code, frame.f_lasti)

        return resetting

    def _leaving(self, leave: Any) -> Any:
        def __exit__(tape: Any, kind: Any, error: Any, traceback: Any) -> Any:
            if error is not None and self._here():
                note_error(self.log, error, traceback)
            return leave(tape, kind, error, traceback)

        return __exit__

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """Tapes in the block are not logged."""
        before, self._quiet = self._quiet, True
        try:
            yield
        finally:
            self._quiet = before

    def release(self, tape: int) -> None:
        """A tape has given its one set of gradients, or is gone; with the last tape, forget all recorded ops."""
        if self._alive.pop(tape, None) is None:
            return
        if not self.log.closed:
            self.log.append(Pruned, (tape,))
        if not self._alive:
            self.logged.clear()
