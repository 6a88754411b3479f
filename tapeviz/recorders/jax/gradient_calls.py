"""The gradients that a program takes -> what each differentiates, logged with both passes, or why it is not seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import CodeType
from typing import Any
from weakref import WeakKeyDictionary

import jax
from jax import tree_util
from jax._src import api
from jax._src import core as traces
from jax._src.interpreters.batching import BatchTrace

from tapeviz.errors import StoppedError
from tapeviz.events.types import GradientUnseen
from tapeviz.recorders.jax.arguments import Program
from tapeviz.recorders.jax.control_flow import NoReversePassError
from tapeviz.recorders.jax.effects import EFFECTS, can_run_again
from tapeviz.recorders.jax.inside import CallInside, Inside
from tapeviz.recorders.jax.internals import CHECKS, TAKING, wrapped_like
from tapeviz.recorders.jax.levels import lowered
from tapeviz.recorders.jax.passes import Passes
from tapeviz.recorders.jax.places import Place, moved
from tapeviz.recorders.jax.session import Session
from tapeviz.recorders.jax.vjp_calls import GRADIENT, vjp_call
from tapeviz.recorders.patches import Row
from tapeviz.recorders.session import unheard

TRANSFORMED = "within a function that JAX runs itself, as `lax.scan` does"
VALUE_ASKED = "whose function asks an array for its value, so that JAX cannot trace it"
FAILED = "whose function raised {} as it was traced for the recording"
"""Why a gradient call is not seen."""


class GradientCalls:
    """Hooks at `vjp`, by which all of JAX's functions take gradients, and at the function that it returns.

    `_pulls` are those functions that the program has itself, with what was differentiated, in which trace, and where.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._pulls: WeakKeyDictionary[Any, tuple[Program, Any, Place]] = WeakKeyDictionary()
        self._arriving: WeakKeyDictionary[Any, tuple[int | None, ...]] = WeakKeyDictionary()
        self._inside: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
        self._told: set[tuple[CodeType, int, str]] = set()
        self._held: list[tuple[Place, str]] | None = None

    def rows(self) -> list[Row]:
        """The function where JAX's own functions find it, and where a program does."""
        here = self._session.here
        calls = [here.instead(owner, name, self._take) for owner, name in TAKING]
        checks = [here.failed(api, name, self._session.fail) for name in CHECKS]
        return [*calls, here.instead(api.VJP, "__call__", self._pulled), *checks]

    def inside(
        self, inside: Inside, around: Place, computed: Sequence[Any], results: Sequence[Any] = ()
    ) -> list[tuple[int | None, ...]]:
        """Log the gradient calls in a compiled function that was called at `around`, by the values that were unknown;
        the raw ids of the gradients of each."""
        arrived: list[tuple[int | None, ...]] = []
        for place, why in inside.unseen:
            self.unseen(place, why)
        for place, program, others in inside.programs(computed):
            here = place._replace(scope=moved(place.scope, inside.around.scope, around.scope))
            arrived.append(() if program is None else self._log(here, lowered(program, traces.trace_ctx.trace)))
            self.let_go([(here, why) for why in others])
        for at, call, slot in inside.returned if results else ():
            raw = arrived[call][slot] if slot < len(arrived[call]) else None
            if raw is not None:
                self._session.ledger.follow(results[at], raw)
        return arrived

    @contextmanager
    def holding_back(self) -> Iterator[list[tuple[Place, str]]]:
        """A block in which it is not told what is not seen, as it may be seen after it."""
        before, self._held = self._held, []
        try:
            yield self._held
        finally:
            self._held = before

    def let_go(self, unseen: list[tuple[Place, str]]) -> None:
        """Tell what was held back."""
        for place, why in unseen:
            self.unseen(place, why)

    @contextmanager
    def seeing(self, place: Place) -> Iterator[None]:
        """A block in which what a program did is done again for the log: if that fails, the program does not."""
        try:
            yield
        except StoppedError:
            raise
        except NoReversePassError:
            pass  # and the program's own call is about to end there, or has
        except Exception as error:
            why = VALUE_ASKED if isinstance(error, jax.errors.JAXTypeError) else FAILED.format(type(error).__name__)
            self.unseen(place, why)

    def _take(self, original: Any, fun: Any, *primals: Any, has_aux: bool = False, **options: Any) -> Any:
        session, trace = self._session, traces.trace_ctx.trace
        place, is_seen, call, program = session.here_now(), session.is_seen, None, None
        with self.seeing(place), session.paused():
            call = vjp_call(fun, primals, has_aux, session.enter()).copied()
            if is_seen and session.probe is not None:  # a function may serve but once
                with session.looking() as called:
                    program, evaluated = call.trace(called)
                fun = wrapped_like(fun, evaluated)
        with session.paused(), session.failing():
            result = original(fun, *primals, has_aux=has_aux, **options)
        if not is_seen:
            self.unseen(place, TRANSFORMED)
        elif call is not None and not (call.caller == GRADIENT and jax.numpy.shape(result[0])):  # JAX will refuse these
            with self.seeing(place), session.paused():
                if program is None:
                    with session.looking() as called:
                        program, _ = call.trace(called)
                if call.caller:
                    arrived = self._found(place, lowered(program, trace))
                    self._arriving[result[1]] = arrived
                    if session.probe is not None and session.probe.calls:
                        self._inside[result[1]] = len(session.probe.calls) - 1
                else:
                    self._pulls[result[1]] = program, trace, place
        return result

    def _pulled(self, original: Any, pull: Any, cotangents: Any, *more: Any) -> Any:
        trace = traces.trace_ctx.trace
        with self._session.paused(), self._session.failing():  # what a gradient of the user's own runs
            result = original(pull, cotangents, *more)
        self._came(pull, result)
        known = self._pulls.get(pull)
        if known is None or not self._session.is_seen:
            return result
        program, before, place = known
        with self.seeing(place), self._session.paused():
            if trace is before:
                every = tree_util.tree_leaves(cotangents)
                program = replace(program, seeds=tuple(jax.numpy.asarray(every[slot]) for slot in program.targets))
                self._found(place, lowered(program, trace))
            elif isinstance(trace, BatchTrace) and trace.parent_trace is before:
                self._found(place, lowered(replace(program, rows=trace.axis_data.size), before))
        return result

    def _came(self, pull: Any, gradients: Any) -> None:
        """The program has the gradients of a pass, of which the log has those that it computed again, or is to."""
        arrays, probe = tree_util.tree_leaves(gradients), self._session.probe
        if probe is not None:
            call = self._inside.get(pull)
            probe.arrived += [(each, call, slot) for slot, each in enumerate(arrays) if call is not None]
            return
        arrived = self._arriving.pop(pull, ())
        for raw, array in zip(arrived, arrays, strict=False) if len(arrived) == len(arrays) else ():
            if raw is not None:
                self._session.ledger.follow(array, raw)

    def _found(self, place: Place, program: Program) -> tuple[int | None, ...]:
        """Log what is differentiated, or keep it for when its values are known; the raw ids of its gradients."""
        probe = self._session.probe
        if probe is None:
            return self._log(place, program)
        elif any(each.when is None for each in probe.levels):
            self.unseen(place, TRANSFORMED)
        else:
            probe.calls.append(CallInside(place, program, probe.levels))
        return ()

    def _log(self, place: Place, program: Program) -> tuple[int | None, ...]:
        if not can_run_again(program.jaxpr):
            self.unseen(place, EFFECTS)
            return ()
        self._session.log.sign("jax")
        with unheard():
            passes = Passes(self._session.log, self._session.ledger, program, place, runs_again=True)
            passes.run()
        return passes.arrived

    def unseen(self, place: Place, why: str) -> None:
        """Log, once for each of its lines, that a gradient is taken of which the log knows no more."""
        probe = self._session.probe
        if self._held is not None:
            self._held.append((place, why))
        elif probe is not None:
            probe.unseen.append((place, why))
        elif (place.code, place.lasti, why) not in self._told:
            self._told.add((place.code, place.lasti, why))
            self._session.log.append(GradientUnseen, attrs=why, code=place.code, lasti=place.lasti, scope=place.scope)
