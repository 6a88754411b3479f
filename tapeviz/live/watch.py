"""A whole program -> its last steps, and what is wrong with its gradients, said when it first is: a flight recorder."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Hashable, Iterable
from functools import partial
from threading import get_ident

from tapeviz.events.defaults import Defaults
from tapeviz.events.log import EventLog, Showable
from tapeviz.events.program.exceptions import note_error, text_of
from tapeviz.events.program.frames import is_library
from tapeviz.events.program.inspection import attributes
from tapeviz.events.raw import STRIDE, UNSCALES
from tapeviz.events.types import BackwardFinished, BackwardStarted, OptimizerStepped
from tapeviz.events.undo import Undo
from tapeviz.live.surroundings import Surroundings
from tapeviz.recorders.alarm import REASONS, Alarm, OddGradient, reads_numbers
from tapeviz.recorders.bindings import note_names, note_variables
from tapeviz.recorders.flight import FlightRecording
from tapeviz.recorders.record import record
from tapeviz.recorders.session import recorded


class Watch(Showable):
    """A flight recorder that is on, made by `tv.watch()`. Every verb takes it like a log: that of the last steps.

    While the program has a `record()` open, that records, and this waits.
    """

    def __init__(
        self,
        *,
        steps: int = 3,
        values: str | None = None,
        max_bytes: int | None = None,
        frameworks: str | Iterable[str] | None = None,
        functions: str | None = None,
    ) -> None:
        self._make = partial(
            FlightRecording,
            values=values,
            max_bytes=max_bytes,
            frameworks=frameworks if isinstance(frameworks, str) else frameworks and list(frameworks),
            functions=functions,
            steps=steps,
        )
        self._make()  # wrong options are told here
        keeps = Defaults.checked(values, max_bytes)[0] != "none"
        self._reasons = tuple(each for each in REASONS if keeps or not reads_numbers([each]))
        self._recording: FlightRecording | None = None
        self._log = EventLog()
        self._symptoms: set[str] = set()
        self._looked: set[Hashable] = set()
        self._overflow = ""
        self._thread, self._process = get_ident(), os.getpid()
        self._undo = Undo()
        self._surroundings = Surroundings(self)

    @property
    def log(self) -> EventLog:
        """The log of the last steps."""
        return self._log

    @property
    def is_own(self) -> bool:
        """Whether it records this thread of this process."""
        return (self._thread, self._process) == (get_ident(), os.getpid())

    @property
    def is_on(self) -> bool:
        """Whether it has not been stopped."""
        return self._undo.is_due

    def start(self) -> None:
        """Record from here on, until `stop` or the end of the program."""
        self._thread, self._process = get_ident(), os.getpid()
        self._undo.add(self.pause)
        self._undo.add(partial(_forget, self))
        record.flight_recorders.append(self)
        self._undo.add(self._surroundings.close)
        self._surroundings.open()
        self.resume()

    def stop(self) -> None:
        """Record no longer. What is known to be wrong and was not said yet is said now.

        >>> import tapeviz as tv
        >>> watching = tv.watch()
        >>> watching.stop()
        >>> watching.is_on
        False
        """
        if self.is_on:
            note_names(self._log, attributes(sys.modules.get("__main__")))
            self._undo.run()
            self.look()

    def pause(self) -> None:
        """A recording that the program asks for begins here."""
        recording = self._recording
        if recording is not None and (recording.is_here or not self.is_on):
            self._recording = None
            recording.__exit__(None, None, None)

    def resume(self) -> None:
        """No other recording is open here any more."""
        if self.is_on and self._recording is None and recorded.get() is None and get_ident() == self._thread:
            self._recording = self._make()
            self._log = self._recording.__enter__()
            self._alarm = Alarm(self._log, self._reasons, self._ring)
            self._alarm.open()
            for kind in (OptimizerStepped, BackwardStarted):
                self._log.subscribe(kind, self._next_step)

    def rejoin(self) -> None:
        """A task has begun that is to be recorded as well, as a kernel begins one for each cell."""
        if self._recording is not None:
            self._recording.rejoin()

    # ----- what is said -----

    def _ring(self, odd: OddGradient) -> None:
        """A gradient is wrong. If that is sure, it is said: of each kind once, after one look at each place."""
        if odd.place in self._looked or not self.is_own:
            return
        self._looked.add(odd.place)
        said = self._attempted(lambda: odd.explained() or odd.plainly())
        symptom = SYMPTOMS[odd.reason]
        if said and symptom == "nan" and self._has_float16:
            self._overflow = said
        elif said:
            self._tell(said, symptom)

    def _tell(self, text: str, symptom: str) -> None:
        self._symptoms.add(symptom)
        self._reasons = tuple([each for each in self._reasons if SYMPTOMS[each] not in self._symptoms])
        self._alarm.listen_for(self._reasons)
        self._surroundings.say(text)

    @property
    def _has_float16(self) -> bool:
        """Whether the program may scale its losses, by more and more until a gradient is not finite any more."""
        return any(row.dtype == "float16" for row in self._log.tensors)

    def _next_step(self, record: int) -> None:
        """An optimizer has stepped, or the next pass begins: a step is known to be the scaler's, or it is not."""
        said, self._overflow = self._overflow, ""
        if said and not self._was_unscaled(record):
            self._tell(said, "nan")

    def _was_unscaled(self, record: int) -> bool:
        """Whether a scaler has looked at the gradients of the last pass; it skips a step where they are not finite."""
        raw = self._log.raw
        for at in range(record, -1, -STRIDE):
            if raw[at] is BackwardFinished:
                return False
            if type(raw[at]) is str and raw[at].rstrip("_") == UNSCALES:
                return True
        return False

    def look_at_error(self, error: BaseException) -> None:
        """An error is about to be shown: what is known of it becomes a note under its traceback."""
        if self._recording is not None:
            self._attempted(partial(self._note, error))

    def _note(self, error: BaseException) -> str:
        at = error.__traceback__
        while at is not None:
            if not is_library(at.tb_frame.f_code.co_filename):
                note_variables(self._log, at.tb_frame)
            at = at.tb_next
        note_error(self._log, error)
        self._symptoms.add("error")  # said by the note
        return ""

    def look(self) -> None:
        """Say what is wrong in the last steps and was not said yet."""
        if self.is_own:
            said = self._attempted(self._findings)
            if said:
                self._surroundings.say(said)

    def _findings(self) -> str:
        from tapeviz.diagnosis.diagnose import diagnose

        found = diagnose(self._log)
        new = [each for each in found if each.severity != "hint" and each.symptom not in self._symptoms]
        self._symptoms.update(each.symptom for each in new)
        return str(found.only(new)) if new else ""

    def _attempted(self, part: Callable[[], str]) -> str:
        """What is to be said; if tapeviz itself fails at that, that it does: the program goes on."""
        try:
            return part()
        except Exception as failure:
            return f"tapeviz could not look at the gradients: {type(failure).__name__}: {text_of(failure)}"

    def __repr__(self) -> str:
        state = "on" if self.is_on else "stopped"
        return f"<Watch: {state}, {self._log!r}>"


SYMPTOMS = {"nan": "nan", "inf": "nan", "none": "none", "spike": "spike"}
"""What a gradient is that an alarm is for -> what the findings about such gradients are about."""


def _forget(watching: Watch) -> None:
    if watching in record.flight_recorders:
        record.flight_recorders.remove(watching)


def watch(
    *,
    steps: int = 3,
    values: str | None = None,
    max_bytes: int | None = None,
    frameworks: str | Iterable[str] | None = None,
    functions: str | None = None,
) -> Watch:
    """Record the last steps of the program from here on, and say once what is wrong with its gradients.

    One line at the top of a script or a notebook, for programs of PyTorch, TensorFlow, JAX, HIPS autograd and tinygrad.
    The first gradient that is NaN, infinite or None for no good reason, and the first whose norm is far above its
    history, is told on stderr when it appears, with the line and the fix; what else is wrong at the end, or below an
    error that ends the program. A healthy program prints what it does without it, and every program computes the same
    and ends in the same way: to end it at such a gradient is for `record(stop_on=...)`.

    With `TAPEVIZ=1` in the environment, `import tapeviz` does this.

    Args:
        steps: how many of the latest tapes, or backward passes, are kept.
        values, max_bytes, frameworks, functions: as in `record`. With values="none", NaN and spikes are not seen.

    Returns:
        What every verb takes like a log, and can be stopped. Another call of `watch` stops it as well.

    Raises:
        TypeError, ValueError: as in `record`.

    >>> import tapeviz as tv
    >>> tv.watch().stop()
    """
    made = Watch(steps=steps, values=values, max_bytes=max_bytes, frameworks=frameworks, functions=functions)
    for each in watches_here():
        each.stop()
    made.start()
    return made


def watches_here() -> list[Watch]:
    """Those that are on in this thread: one, or none."""
    return [each for each in record.flight_recorders if isinstance(each, Watch) and each.is_own]
