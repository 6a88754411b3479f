"""JAX's part of a recording: each gradient that the program takes, in a compiled function or not, as a tape of its own.

What the program computes is JAX's alone. What the log has of it is computed again, after it, from the same arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
from jax._src import api
from jax._src import core as traces

from tapeviz.events.log import EventLog
from tapeviz.events.types import GradientUnseen
from tapeviz.recorders.jax.arguments import Program
from tapeviz.recorders.jax.compiled import CompiledFunctions
from tapeviz.recorders.jax.gradient_calls import GradientCall, gradient_call
from tapeviz.recorders.jax.inside import Inside
from tapeviz.recorders.jax.passes import Passes
from tapeviz.recorders.jax.session import Session
from tapeviz.recorders.patches import Patches, Row


class JaxRecorder:
    """Writes the gradients that JAX takes in the current thread into a log."""

    def __init__(self) -> None:
        self._patches = Patches()

    def start(self, log: EventLog) -> None:
        """From here on everything goes into the log."""
        session = Session(log)
        calls = _GradientCalls(session)
        compiled = CompiledFunctions(session, calls.found_inside)
        self._patches.install(calls.rows())
        self._patches.install(compiled.rows())
        compiled.forget()

    def stop(self) -> None:
        """Take every hook away."""
        self._patches.undo()


class _GradientCalls:
    """Hooks at `vjp`, by which all of JAX's functions take gradients."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def rows(self) -> list[Row]:
        """The function where JAX's own functions find it, and where a program does."""
        here = self._session.here
        return [here.instead(owner, "vjp", self._called) for owner in (api, jax)]

    def _called(self, original: Any, fun: Any, *primals: Any, has_aux: bool = False, **options: Any) -> Any:
        look, is_done = self._session.look, traces.trace_state_clean()
        if not is_done and look is None:
            return original(fun, *primals, has_aux=has_aux, **options)
        call = gradient_call(fun, primals, has_aux, self._session.here_now())
        if look is not None and look.is_here:
            with self._session.aside():
                look.calls.append((call, call.trace()))
                return original(fun, *primals, has_aux=has_aux, **options)
        if look is not None:
            look.unseen.append(call.place)
        result = original(fun, *primals, has_aux=has_aux, **options)
        if is_done:
            with self._session.aside():
                self._record(call, call.trace())
        return result

    def found_inside(self, inside: Inside, arrays: Sequence[Any]) -> None:
        """Log the gradient calls in a compiled function that was called with these arrays."""
        with self._session.aside():
            for call, program in inside.programs(arrays):
                self._record(call, program)
        for place in inside.unseen:
            self._session.log.append(GradientUnseen, code=place.code, lasti=place.lasti)

    def _record(self, call: GradientCall, program: Program) -> None:
        self._session.log.sign("jax")
        Passes(self._session.log, program, call.place).run()
