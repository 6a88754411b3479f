"""Calls of functions with `custom_gradient` -> the gradient that the tape has for what they computed.

The ops of the user's function are on the tape already, though no gradient passes them: what they added to it is kept,
once of each line that calls the function, and swept when the user's rule has answered. So nothing is run again.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import CodeType
from typing import Any

from numpy import ndarray

from tapeviz.engine.backward.slices import Slices
from tapeviz.engine.backward.sweep import Sweep
from tapeviz.engine.recording import NODE, Recording, Trace, Unfollowed, current
from tapeviz.engine.rules.plan import Plan
from tapeviz.engine.specs.dtypes import DIFFERENTIABLE
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.events.body_ops import body_since, is_telling, narrowest, passed
from tapeviz.events.log import EventLog
from tapeviz.events.program.frames import is_library, users_frame
from tapeviz.events.program.inspection import code_of
from tapeviz.events.raw import INPUTS, TAPES
from tapeviz.events.types import VjpWitnessed


class BodyWitness:
    """The user's function is about to run: what a tape gets of it from here on."""

    def __init__(self, log: EventLog, trace: Trace, code: CodeType) -> None:
        self._log = log
        self._trace = trace
        self._code = code
        self._start = len(trace.nodes)
        self._since = log.end

    def testify_of(self, arguments: Sequence[Any], read: Sequence[Any], outputs: Sequence[Any]) -> Testimony | None:
        """The function has run: what testifies of its gradient; None if that cannot be known."""
        trace, body = self._trace, body_since(self._log, self._since)
        nodes = trace.nodes[self._start :]
        sources = [each._id if isinstance(each, TensorLike) else None for each in (*arguments, *read)]
        is_plain = len(set(sources)) == len(sources)  # else a place of several is not told
        if body is None or not nodes or not is_plain or any(each[:1] == ["stop_gradient"] for each in body):
            return None
        if not all(isinstance(plan, Plan) for plan in nodes[::NODE]):  # the rule of another is the user's, too
            return None
        if not _is_whole(body, nodes, trace, sources):
            return None
        names = self._code.co_varnames[: self._code.co_argcount]
        names = names[len(names) - len(arguments) :] if names[:1] == ("self",) else names
        named = (*(names if len(names) == len(arguments) else ("",) * len(arguments)), *("",) * len(read))
        dtypes = [str(each._value.dtype) for each in arguments if isinstance(each, TensorLike)]
        about = named, passed(body), narrowest(body, dtypes)
        return Testimony(self._log, nodes, tuple(sources), tuple([each._id for each in outputs]), about)


def witness_of(now: Recording, function: Any, arguments: Sequence[Any]) -> BodyWitness | None:
    """What will testify of a call of a function that is about to run; None if something has, or is not to."""
    code, log = code_of(function), now.log
    if code is None or log is None or not log.keeps_values or not now.traces or is_library(code.co_filename):
        return None
    frame = users_frame(2)
    key = code, frame.f_code, frame.f_lasti
    if key in log.witnessed or not is_telling(map(_array, arguments)):
        return None
    log.witnessed.add(key)
    return BodyWitness(log, now.traces[0], code)


def _is_whole(body: list[list[Any]], nodes: list[Any], trace: Trace, sources: Sequence[int | None]) -> bool:
    """Whether the tape has all that the function computed of what it follows: a part may be hidden from it."""
    followed = {each for out in nodes[2::NODE] for each in (out if type(out) is tuple else (out,))}
    followed |= trace.watched.keys() | {each for each in sources if each is not None}
    unseen = (each for each in body if trace.id not in each[TAPES])
    return not any(type(each) is int and each in followed for record in unseen for each in record[INPUTS])


class Testimony:
    """One call: what its function added to a tape, the ids of what it was given and gave, what is known of its ops."""

    outputs: Any = None
    """The ids of the call's own results, once it has them."""

    def __init__(
        self,
        log: EventLog,
        nodes: list[Any],
        sources: tuple[int | None, ...],
        results: tuple[int, ...],
        about: tuple[tuple[str, ...], tuple[str, ...], str],
    ) -> None:
        self._log = log
        self._nodes = nodes
        self._sources = sources
        self._results = results
        self._about = about

    def give(self, upstream: tuple[Any, ...], rule: tuple[Any, ...]) -> None:
        """Log, once, what the user's rule gave for an upstream gradient of the call, and what the tape has for it."""
        if self.outputs is None or not self._nodes:
            return
        witness, self._nodes = self._gradients(upstream), []
        rows = (upstream, rule, witness, (None,) * len(rule))
        values = tuple([tuple([_kept(self._log, each) for each in row]) for row in rows])
        self._log.append(VjpWitnessed, None, self.outputs, values, self._about)

    def _gradients(self, upstream: tuple[Any, ...]) -> tuple[Any, ...]:
        trace, aside = Trace(0, watches_accessed=False), EventLog(values="none")
        trace.nodes = self._nodes
        asked_for = tuple([each for each in self._sources if each is not None])
        before = current.set(Recording(aside, (), Unfollowed()))
        try:
            sweep = Sweep(trace, aside, 0, asked_for, recorded=False)
            for result, each in zip(self._results, upstream, strict=True):
                value = _array(each)
                if value is not None and value.dtype.kind in DIFFERENTIABLE:
                    sweep.arrive(result, value)
            sweep.run(release=False)
        finally:
            current.reset(before)
        return tuple([None if each is None else sweep.arrived(each) for each in self._sources])


def _array(gradient: Any) -> Any:
    """A gradient as an array, also one of slices or a tensor; None if it is none."""
    if isinstance(gradient, Slices):
        gradient = gradient.dense()
    return getattr(gradient, "_value", gradient)


def _kept(log: EventLog, gradient: Any) -> Any:
    value = _array(gradient)
    if value is None:
        return None
    return log.keep(value.copy() if isinstance(value, ndarray) else value)
