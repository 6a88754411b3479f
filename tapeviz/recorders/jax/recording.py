"""JAX's part of a recording: each gradient that the program takes, in a compiled function or not, as a tape of its own.

What the program computes is JAX's alone. What the log has of it is computed again, after it, from the same arrays.
"""

from __future__ import annotations

import sys
import warnings

import jax

from tapeviz.events.log import EventLog
from tapeviz.recorders.imports import ImportWatch
from tapeviz.recorders.jax import keras
from tapeviz.recorders.jax.arithmetic import Arithmetic
from tapeviz.recorders.jax.compiled import CompiledCalls
from tapeviz.recorders.jax.forwards import Forwards
from tapeviz.recorders.jax.gradient_calls import GradientCalls
from tapeviz.recorders.jax.internals import ARE_KNOWN, forget_calls
from tapeviz.recorders.jax.keras_steps import KerasOnJax
from tapeviz.recorders.jax.optimizers import OptaxSteps
from tapeviz.recorders.jax.rounds import Rounds
from tapeviz.recorders.jax.session import Session
from tapeviz.recorders.jax.steps import LoggedSteps
from tapeviz.recorders.patches import Patches

TOO_OLD = "tapeviz records programs of JAX from 0.9.1 on; of JAX {}, it records a function: tv.record_jax(f, *args)."


class JaxRecorder:
    """Writes the gradients that JAX takes in the current thread into a log."""

    def __init__(self) -> None:
        self._patches = Patches()

    def start(self, log: EventLog) -> None:
        """From here on everything goes into the log."""
        if not ARE_KNOWN:
            warnings.warn(TOO_OLD.format(jax.__version__), stacklevel=6)
            return
        session = Session(log)
        log.resolvers += (session.ledger.id_of,)
        calls = GradientCalls(session)
        arithmetic = Arithmetic(session)
        steps = LoggedSteps(session, arithmetic)
        optimizers = OptaxSteps(session, arithmetic, steps)
        compiled = CompiledCalls(session, calls, arithmetic, steps)
        on_keras = KerasOnJax(session, steps)
        parts = calls, compiled, Rounds(session, calls), Forwards(session, calls), arithmetic, optimizers, on_keras
        for rows in (*(part.rows() for part in parts), keras.rows(session)):
            self._patches.install(rows)
        if "optax" not in sys.modules:
            watch = ImportWatch({"optax"}, lambda name: self._patches.install(optimizers.rows()))
            self._patches.finally_(watch.close)
            watch.open()
        forget_calls()

    def stop(self) -> None:
        """Take every hook away."""
        self._patches.undo()
