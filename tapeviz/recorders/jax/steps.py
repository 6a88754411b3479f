"""Steps of optimizers -> the log: what each goes by, and what the new arrays are of which variable.

In a function that is looked into a step is met among tracers; it is logged when the function has run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
from jax import tree_util

from tapeviz.events.raw import next_id
from tapeviz.events.types import OptimizerCreated, OptimizerStepped, ParameterUpdated, StateWritten
from tapeviz.recorders.jax.arithmetic import Arithmetic
from tapeviz.recorders.jax.inside import StepRule, TracedStep
from tapeviz.recorders.jax.places import Place
from tapeviz.recorders.jax.session import Session
from tapeviz.recorders.jax.values import kept

ADDED = "apply_updates"
"""What has given new arrays where it is not known which optimizer made the updates."""


class LoggedSteps:
    """Takes the steps that hooks at libraries of optimizers find."""

    def __init__(self, session: Session, arithmetic: Arithmetic) -> None:
        self._session = session
        self._arithmetic = arithmetic
        self._numbers: dict[int, tuple[Any, int]] = {}

    def sees(self, tree: Any) -> bool:
        """Whether arrays are the program's, or tracers of a function that is looked into, outside of loops."""
        session, probe = self._session, self._session.probe
        arrays = tree_util.tree_leaves(tree)
        traced = sum(isinstance(each, jax.core.Tracer) for each in arrays)
        if not session.is_here or not all(isinstance(each, jax.Array) for each in arrays):
            return False
        return not traced if probe is None else traced == len(arrays) and probe.is_here and not probe.levels

    def found(self, place: Place, step: TracedStep) -> None:
        """Log a step, or keep it for when the values of its tracers are known."""
        probe = self._session.probe
        if probe is not None:
            probe.steps.append((place, step))
            return
        with self._session.paused():
            self._note(place, step, [self._entry_of(each.gradient) for each in step.written])

    def made_inside(self, place: Place, step: TracedStep, gradients: Sequence[Any], gives_away: bool) -> None:
        """Log a step in a compiled function, by the gradients, each a raw id, an array or None.

        A function that `gives_away` the memory of its arguments is going to be given that of its results.
        """
        with self._session.noting(), self._session.paused():
            entries = [self._entry_of(each) for each in gradients]
            self._note(place, step, entries, is_compiled=True, gives_away=gives_away)

    def _entry_of(self, gradient: Any) -> int | None:
        return self._arithmetic.entry_of(gradient) if isinstance(gradient, jax.Array) else gradient

    def _note(
        self,
        place: Place,
        step: TracedStep,
        gradients: Sequence[int | None],
        is_compiled: bool = False,
        gives_away: bool = False,
    ) -> None:
        log = self._session.log

        def note(kind: Any, inputs: Any, outputs: Any, values: Any, attrs: Any) -> None:
            log.append(kind, inputs, outputs, values, attrs, place.code, place.lasti, place.scope)

        log.sign("jax")
        ids = tuple(self._arithmetic.entry_of(each.before, "variable") for each in step.written)
        rule, writes = step.optimizer, ADDED
        if rule is not None:
            self._note_optimizer(note, ids, rule, step, gradients, is_compiled)
            writes = rule.writes
        for raw, each in zip(ids, step.written, strict=True):
            self._session.ledger.go_on(each.before, each.after, raw)
            value = jax.numpy.copy(each.after) if gives_away else each.after
            note(StateWritten, None, raw, kept(log, value), writes)

    def _note_optimizer(
        self,
        note: Any,
        ids: tuple[int, ...],
        rule: StepRule,
        step: TracedStep,
        gradients: Sequence[int | None],
        is_compiled: bool,
    ) -> None:
        """Log what the optimizer goes by."""
        log, own = self._session.log, rule.optimizer
        if id(own) not in self._numbers:
            self._numbers[id(own)] = own, next_id()
            note(OptimizerCreated, ids, None, None, (self._numbers[id(own)][1], rule.name))
        number = self._numbers[id(own)][1]
        goes_by = rule.goes_by(step.state, step.params, is_compiled)
        for raw, each, gradient in zip(ids, step.written, gradients, strict=True):
            state, options = goes_by[each.leaf]
            values = (None, *(kept(log, value) for value in state.values()))
            note(ParameterUpdated, gradient, raw, values, (number, tuple(state), options))
        note(OptimizerStepped, ids, None, None, number)
