"""What is being recorded right now: which log is written, and which tapes follow which tensors.

A tape follows a tensor if it is watched, or computed from tensors that the tape follows. The current `Recording` is a
context variable, so that threads and asyncio tasks never see each other's tapes. Outside every tape and every
`record()` it is the flight recorder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any

from tapeviz.engine.specs.dtypes import DIFFERENTIABLE
from tapeviz.events.defaults import Defaults
from tapeviz.events.log import EventLog
from tapeviz.events.memory.ring import Ring
from tapeviz.events.raw import Mentioned
from tapeviz.events.types import Watched


class Unfollowed(tuple[Any, ...]):
    """The mark on tensors that are in a log but that none of its tapes follows; each log has one such object."""

    __slots__ = ()


class Apart(tuple[Any, ...]):
    """The tapes that follow a tensor whose dtype needs special VJPs.

    It is equal to the recording's own tuple of tapes, but never the same object. So an op on such a tensor always takes
    the general path, on which `Op.plan` is told this class; ops on other dtypes are not slowed down.
    """

    __slots__ = ()


class Conjugated(Apart):
    """Of a tensor of complex numbers, whose gradients are conjugates."""

    __slots__ = ()


class Narrow(Apart):
    """Of a tensor of bfloat16, whose gradients are rounded after each op."""

    __slots__ = ()


APART: dict[str, type[Apart]] = {"c": Conjugated, "V": Narrow}
"""The class by the kind of a NumPy dtype."""

NODE = 4
"""Entries per op in `Trace.nodes`: plan, input ids, output id(s), saved values."""


class Trace:
    """What one tape has recorded since it was entered: for each op its plan, input ids, output id(s), and saved values.

    Attributes:
        nodes: a flat list, `NODE` entries per op.
        watched: the tensors that are watched, by id.
        alive: False once everything was released.
        results: the ids of the tensors that calls of a `tf.function` returned.
        looped: the ids of the variables that loops in graphs read.
        alone: the tuple of this trace alone, the mark of tensors that it follows while it is the only one.
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
        """The ids of the tensors it follows; of an op with several outputs both each id and the tuple of them."""
        made = self.nodes[2::NODE]
        several = [raw_id for out in made if type(out) is tuple for raw_id in out]
        return {*self.watched, *made, *several}

    def release(self) -> None:
        """Free everything. Tensors may keep this trace in their mark: a trace that is not alive does not count."""
        self.alive = False
        alone = self.alone
        for tensor in self.watched.values():
            if tensor._traces is alone:
                tensor._traces = ()
        self.nodes = []
        self.watched = {}
        self.alone = ()


class Recording:
    """Which log is open, and which tapes record into it; entering or leaving a tape makes a new object.

    Attributes:
        log: None for the flight recorder.
        keep: the method of the log that keeps a value.
        traces: those of the tapes that record, and `ids` their ids.
        trace: that of the tape, if it is the only one.
        unfollowed: the mark of tensors that none of the tapes follows.
        accumulators: those of forward mode, outermost first.
        nodes: the list to which the four entries of a node are added by `+=`; None if no tape records, or if there are
            accumulators, which have to be told of an op as well.
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
        """The recording with the same log and other tapes."""
        return self.then(Recording(self.log, traces, self.unfollowed, self.accumulators))

    def with_accumulators(self, accumulators: tuple[Any, ...]) -> Recording:
        """The recording with the same log and tapes and other accumulators."""
        return self.then(Recording(self.log, self.traces, self.unfollowed, accumulators))

    def then(self, following: Recording) -> Recording:
        """The recording to set after this one: `following`; a subclass may wrap it, so that its own work goes on."""
        return following

    def meet(self, tensor: Any) -> tuple[Trace, ...]:
        """Which active tapes follow a tensor that does not carry this recording's mark; a new leaf is logged."""
        trace, log, raw_id = self.trace, self.log, tensor._id
        if trace is None or tensor._traces or log is None or raw_id in log.mentioned:
            return self._meet_again(tensor)
        mark: tuple[Trace, ...]  # the common case: there is one tape, and the tensor is new to the log
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
        """The general case of `meet`: several tapes, or a tensor that was recorded before."""
        log, traces, stored, raw_id = self.log, self.traces, tensor._traces, tensor._id
        if stored:
            if traces and type(stored) is tuple and set(traces).issubset(stored):
                return traces  # it carries the mark of another recording, but is followed all the same
            stored = tuple([trace for trace in stored if trace.alive])
        if log is None:
            return ()
        if raw_id not in log.mentioned:
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
    """A recording that calls `notice` with every tensor that an op reads, also after tapes are entered or left."""

    __slots__ = ("notice",)

    def __init__(self, now: Recording, notice: Callable[[Any], None]) -> None:
        super().__init__(now.log, now.traces, now.unfollowed, now.accumulators)
        self.traces = Unfollowed(self.traces)  # equal, but not the tuple that tensors carry as their mark
        self.notice = notice

    def then(self, following: Recording) -> Recording:
        return Noticing(following, self.notice)

    def meet(self, tensor: object) -> tuple[Trace, ...]:
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
"""The memory of the flight recorder: the last ops that ran outside every recording."""
flight = Recording(None, (), Unfollowed())
current: ContextVar[Recording] = ContextVar("tapeviz.recording", default=flight)
asked: ContextVar[Callable[[], EventLog | None]] = ContextVar("tapeviz.asked", default=lambda: None)
"""A weak reference to the log of the last gradient call: an error that a `None` from it leads to is logged there."""


_COMPUTED_BEFORE = ("intermediate", False, None), None, None, -1
"""The origin of a tensor that is no leaf."""


def mention(log: EventLog, tensor: Any, tapes: tuple[int, ...] = ()) -> None:
    """Log the first use of a tensor that was made before the log was opened; `tapes` follow it from here on."""
    raw_id = tensor._id
    try:
        about, scope, code, lasti = tensor._origin
    except AttributeError:
        about, scope, code, lasti = _COMPUTED_BEFORE
    else:
        log.filenames.add(code.co_filename)
    log.mentioned.add(raw_id)
    log.raw += (Mentioned, None, raw_id, log.keep(tensor._value), about, (), tapes, scope, code, lasti)


def pass_on_tangents(inner: Iterable[Any], outer: Iterable[Any]) -> None:
    """In forward mode, give the `outer` tensors, which stand for the `inner` ones from here on, their tangents."""
    for accumulator in current.get().accumulators:
        for one, other in zip(inner, outer, strict=True):
            accumulator.pass_on(one, other)
