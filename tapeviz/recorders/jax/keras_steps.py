"""Steps of Keras' optimizers on JAX -> what each goes by, and what the new arrays are of which variable.

As `fit` calls it, an optimizer is given its variables and the model's as arrays, and gives new ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.events.attrs import Attrs
from tapeviz.recorders.jax.inside import TracedStep, WrittenLeaf
from tapeviz.recorders.jax.session import Session
from tapeviz.recorders.jax.steps import LoggedSteps
from tapeviz.recorders.keras import hyperparameters, in_keras, is_variable, optimizers, progress, runs_on, slots
from tapeviz.recorders.patches import Row


class KerasRule:
    """An optimizer of Keras', which has its state in variables."""

    writes = "stateless_apply"

    def __init__(self, optimizer: Any) -> None:
        self.optimizer = optimizer
        self.name = type(optimizer).__name__

    def state(self, arrays: Sequence[Any]) -> dict[str, Any]:
        """What its variables hold, when they hold these."""
        own = self.optimizer
        held = {id(each): array for each, array in zip(own.variables, arrays, strict=True)}
        return {
            "counts": {name: held[id(each)] for name, each in self._counts()},
            "slots": [
                {name: held[id(each)] for name, each in slots(own, one).items()} for one in own._trainable_variables
            ],
        }

    def _counts(self) -> list[tuple[str, Any]]:
        """The variables that are of no other variable: of its steps, and of the learning rate, if that is one."""
        named = ((name, getattr(self.optimizer, name, None)) for name in ("_iterations", "_learning_rate"))
        return [(name, each) for name, each in named if is_variable(each)]

    def goes_by(self, state: Any, params: Any, is_compiled: bool) -> list[tuple[dict[str, Any], Attrs]]:
        """What it has kept of each variable, and its numbers for that."""
        own = self.optimizer
        [scope] = in_keras("backend.common.stateless_scope", "StatelessScope")
        # What the variables themselves hold is the memory that a compiled function was given.
        with scope(state_mapping=[(each, state["counts"][name]) for name, each in self._counts()]):
            calls = own.gradient_accumulation_steps
            # A call that only adds its gradient to others gives new arrays, too.
            adds = bool(calls) and (int(state["counts"]["_iterations"]) + 1) % calls != 0
            return [
                (kept, (*hyperparameters(own, variable, *progress(own)), *((("only_accumulates", True),) * adds)))
                for variable, kept in zip(own._trainable_variables, state["slots"], strict=True)
            ]


class KerasOnJax:
    """Hooks at the steps of Keras' optimizers that are given arrays."""

    def __init__(self, session: Session, steps: LoggedSteps) -> None:
        self._session = session
        self._steps = steps

    def rows(self) -> list[Row]:
        """None where Keras computes with another framework."""
        if not runs_on("jax"):
            return []
        self._session.ledger.keeps_variables = True
        return [self._session.here.instead(each, "stateless_apply", self._apply) for each in optimizers()]

    def _apply(self, apply: Any, optimizer: Any, optimizer_variables: Any, grads: Any, trainable_variables: Any) -> Any:
        before, arrays, gradients = list(trainable_variables), list(optimizer_variables), list(grads)
        with self._session.paused(), self._session.failing():
            result = apply(optimizer, arrays, gradients, before)
        place = self._session.here_now()
        with self._session.noting():
            after = list(result[0])
            if self._steps.sees([*before, *after]):
                rule = KerasRule(optimizer)
                written = [
                    WrittenLeaf(leaf, *each)
                    for leaf, each in enumerate(zip(before, gradients, after, strict=True))
                    if each[1] is not None
                ]
                self._steps.found(place, TracedStep(rule, rule.state(arrays), before, written))
        return result
