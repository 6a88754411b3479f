"""What is being recorded right now: which log is written, and which tapes follow which tensors.

The current `Recording` is a context variable, so threads and asyncio tasks never see each other's tapes. Outside
every tape and every `record()` it is the flight recorder.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from tapeviz.engine.specs.dtypes import DIFFERENTIABLE
from tapeviz.events.defaults import Defaults
from tapeviz.events.log import EventLog
from tapeviz.events.memory.ring import Ring
from tapeviz.events.program.frames import asking_frame, enter_frame, users_frame
from tapeviz.events.program.raised import note_error
from tapeviz.events.raw import Mentioned, Named
from tapeviz.events.types import LeafCreated, ReadOut, Watched
from tapeviz.events.values import spec_of


class Unfollowed(tuple[Any, ...]):
    """The mark on a tensor that a log knows and none of its tapes follows; one object per log."""

    __slots__ = ()


class Apart(tuple[Any, ...]):
    """The tapes that follow a tensor whose dtype needs special VJPs: equal to the recording's own tuple, and never the
    same object.

    So an op on it always takes the general path, where `Op.plan` gets its class; real numbers pay nothing for it.
    """

    __slots__ = ()


class Conjugated(Apart):
    """Those that follow complex numbers, whose gradients are conjugates."""

    __slots__ = ()


class Narrow(Apart):
    """Those that follow bfloat16, which is rounded op by op."""

    __slots__ = ()


APART: dict[str, type[Apart]] = {"c": Conjugated, "V": Narrow}
"""By the kind of a dtype."""


NODE = 4
"""Entries per op in `Trace.nodes`: plan, input ids, output id(s), saved values."""


class Trace:
    """What one tape has recorded since it was entered: for each op its plan, input ids, output id(s), and saved values.

    `nodes` is flat, `NODE` entries per op. `results` are the ids of what every `tf.function` returned, `looped` those
    of the variables that loops in graphs read.
    """

    __slots__ = ("alive", "alone", "id", "looped", "nodes", "results", "watched", "watches_accessed")

    def __init__(self, tape: int, watches_accessed: bool) -> None:
        self.id = tape
        self.nodes: list[Any] = []
        self.watched: dict[int, Any] = {}
        self.watches_accessed = watches_accessed
        self.alive = True
        self.results: set[int] = set()
        self.looped: set[int] = set()
        self.alone: tuple[Trace, ...] = (self,)

    def follows(self) -> set[Any]:
        """The ids of what it follows: what is watched, and what was computed from that (of one op also together)."""
        made = self.nodes[2::NODE]
        several = [raw_id for out in made if type(out) is tuple for raw_id in out]
        return {*self.watched, *made, *several}

    def release(self) -> None:
        """Let go of everything; tensors may go on naming this trace, it follows nothing any more."""
        self.alive = False
        alone = self.alone
        for tensor in self.watched.values():
            if tensor._traces is alone:
                tensor._traces = ()
        self.nodes = []
        self.watched = {}
        self.alone = ()


class Recording:
    """One state of what is recorded; entering or leaving a tape makes another one.

    `nodes` takes the entries of a node, by `+=`, for the tapes that are recording; it is None where that is not all
    there is to do, because no tape is, or `accumulators` carry tangents forward. `keep` is the log's; `trace` is that
    of the tape that records, if it is the only one.
    """

    __slots__ = ("accumulators", "ids", "keep", "log", "nodes", "trace", "traces", "unfollowed")

    def __init__(
        self,
        log: EventLog | None,
        traces: tuple[Any, ...],
        unfollowed: Unfollowed,
        accumulators: tuple[Any, ...] = (),
    ) -> None:
        self.log = log
        self.keep = None if log is None else log.keep
        self.unfollowed = unfollowed
        self.accumulators = accumulators
        if len(traces) == 1:  # as a rule
            (trace,) = traces
            self.trace, self.traces, self.ids = trace, trace.alone, (trace.id,)
            self.nodes = None if accumulators else trace.nodes
        else:
            self.trace = None
            self.traces, self.ids = traces, tuple([trace.id for trace in traces])
            self.nodes = Together(trace.nodes for trace in traces) if traces and not accumulators else None

    def with_traces(self, traces: tuple[Trace, ...]) -> Recording:
        """The same log, followed by other tapes."""
        return self.then(Recording(self.log, traces, self.unfollowed, self.accumulators))

    def with_accumulators(self, accumulators: tuple[Any, ...]) -> Recording:
        """The same log and tapes, with other tangents carried forward."""
        return self.then(Recording(self.log, self.traces, self.unfollowed, accumulators))

    def then(self, following: Recording) -> Recording:
        """The recording after this one: `following`, or more, if this one is of a special kind."""
        return following

    def meet(self, tensor: Any) -> tuple[Trace, ...]:
        """Which active tapes follow a tensor that does not carry this recording's mark; leaves are mentioned once."""
        trace, log, raw_id = self.trace, self.log, tensor._id
        if trace is None or tensor._traces or log is None or raw_id in log.met:
            return self._meet_again(tensor)
        mark: tuple[Trace, ...]  # as a rule there is one tape, and a tensor that nothing was told of yet
        if not tensor._self_watched:
            mention(log, tensor)
            mark = self.unfollowed
        elif trace.watches_accessed and tensor._value.dtype.kind == "f":
            mention(log, tensor, self.ids)
            trace.watched[raw_id] = tensor
            mark = self.traces
        else:
            return self._meet_again(tensor)
        tensor._traces = mark
        return mark

    def _meet_again(self, tensor: Any) -> tuple[Trace, ...]:
        """The general case of `meet`, for any tensor, whatever was recorded of it before."""
        log, traces, stored, raw_id = self.log, self.traces, tensor._traces, tensor._id
        if stored:
            if traces and type(stored) is tuple and set(traces).issubset(stored):
                return traces  # it carries the mark of another recording, but is followed all the same
            stored = tuple([trace for trace in stored if trace.alive])
        if log is None:
            return ()
        if raw_id not in log.met:
            mention(log, tensor)
        trainable = tensor._self_watched
        followed = []
        for trace in traces:
            if raw_id not in trace.watched and trace not in stored:
                if not trainable or not trace.watches_accessed:
                    continue
                trace.watched[raw_id] = tensor
                log.raw += (Watched, (trace.id,), raw_id, None, "accessed", (), (), None, None, -1)
            followed.append(trace)
        others = tuple([trace for trace in stored if trace not in traces]) if stored else ()
        kind = tensor._value.dtype.kind
        if not followed or kind not in DIFFERENTIABLE:
            if others or trainable:
                return ()
            tensor._traces = self.unfollowed
            return self.unfollowed
        if kind in APART:
            tensor._traces = APART[kind]((*others, *followed))
            return APART[kind](followed)
        if len(followed) < len(traces):
            return tuple(followed)
        tensor._traces = (*others, *traces) if others else traces
        return traces


class Noticing(Recording):
    """A recording that reports every tensor that is met, also after tapes in it are entered and left."""

    __slots__ = ("notice",)

    def __init__(self, now: Recording, notice: Callable[[Any], None]) -> None:
        super().__init__(now.log, now.traces, now.unfollowed, now.accumulators)
        self.traces = Unfollowed(self.traces)  # equal, but not the tuple that tensors carry as their mark
        self.notice = notice

    def then(self, following: Recording) -> Recording:
        return Noticing(following, self.notice)

    def meet(self, tensor: Any) -> tuple[Trace, ...]:
        self.notice(tensor)
        return super().meet(tensor)


class Together(tuple[list[Any], ...]):
    """Lists that are extended as one."""

    __slots__ = ()

    def __iadd__(self, entries: tuple[Any, ...]) -> Together:  # type: ignore[misc]  # no sum of two tuples
        for each in self:
            each += entries
        return self


flown = Ring(Defaults.ring)
"""The flight recorder's memory: what ran outside every recording."""
flight = Recording(None, (), Unfollowed())
current: ContextVar[Recording] = ContextVar("tapeviz.recording", default=flight)
asked: ContextVar[Callable[[], EventLog | None]] = ContextVar("tapeviz.asked", default=lambda: None)
"""A weak reference to the log of the last gradient call: an error that its `None` leads to belongs there."""


def note(
    kind: Any, inputs: Any = None, outputs: Any = None, values: Any = None, attrs: Any = None, scope: Any = None
) -> None:
    """Append a record that is no op to the open log, or to the flight recorder: in a `scope`, if it is told one."""
    log = current.get().log
    frame = asking_frame(2) if kind is ReadOut else users_frame(2)  # who calls this is the library
    code, lasti = frame.f_code, frame.f_lasti
    if log is None:
        flown.append(
            kind, inputs, outputs, None if values is None else spec_of(values), attrs, (), (), scope, code, lasti
        )
        return
    if frame is not log.frame:
        enter_frame(log, frame)
    values = None if values is None else log.keep(values)
    log.append(kind, inputs, outputs, values, attrs, code, lasti, log.scope)


def note_return() -> None:
    """A user's function returned: the open log drops its frame, and with it whatever only that kept alive."""
    log, frame = current.get().log, users_frame(2)
    if log is not None and frame is not log.frame:
        enter_frame(log, frame)


def note_raised(error: BaseException) -> None:
    """Log an error in the open log, or in that of the last gradient call, whose result may have led to it."""
    note_error(current.get().log or asked.get()(), error)


def note_leaf(tensor: Any, kind: str, parents: tuple[int, ...] = ()) -> None:
    """A tensor was made by no op."""
    log = current.get().log
    if log is not None:
        log.met.add(tensor._id)
        if not tensor._self_watched:
            tensor._traces = current.get().unfollowed
    about = (kind, tensor._self_watched, tensor._label)
    note(LeafCreated, parents, tensor._id, tensor._value, about, tensor._origin[0])


def note_name(tensor: Any, name: str, *, instead: bool = False) -> None:
    """Name a tensor, unless a line of the user's has a name for it; with `instead`, even then."""
    log, raw_id = current.get().log, getattr(tensor, "_id", None)
    if log is not None and raw_id is not None:
        if instead:
            log.append(Named, None, raw_id)
        log.append(Named, None, raw_id, None, name)


def mention(log: EventLog, tensor: Any, tapes: tuple[int, ...] = ()) -> None:
    """A tensor made before the log was opened is used in it for the first time; `tapes` follow it from here on."""
    raw_id, value = tensor._id, tensor._value
    try:
        scope, code, lasti = tensor._origin
    except AttributeError:
        scope, code, lasti = None, None, -1
    else:
        log.filenames.add(code.co_filename)
    log.met.add(raw_id)
    about = (tensor._role, tensor._self_watched, tensor._label)
    log.raw += (Mentioned, None, raw_id, log.keep(value), about, (), tapes, scope, code, lasti)


def watch(log: EventLog, trace: Trace, tensor: Any) -> None:
    """From here on `trace` follows `tensor`, as the user asked for."""
    trace.watched[tensor._id] = tensor
    frame = users_frame(1)
    log.raw += (Watched, (trace.id,), tensor._id, None, "explicit", (), (), None, frame.f_code, frame.f_lasti)
