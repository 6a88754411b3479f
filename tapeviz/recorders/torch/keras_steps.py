"""Steps of Keras' optimizers on PyTorch -> what each goes by, and the parameters that it changes.

The ops of a step are logged as those of the program are.
"""

from __future__ import annotations

from typing import Any

from tapeviz.events.raw import next_id
from tapeviz.events.types import OptimizerCreated, OptimizerStepped, ParameterUpdated
from tapeviz.recorders.keras import changes, hyperparameters, optimizers, progress, runs_on, slots
from tapeviz.recorders.patches import Row
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import unseen
from tapeviz.recorders.torch.values import COPIED, held


class KerasUpdates:
    """Hooks at the steps of the base of Keras' optimizers, where those of a subclass end."""

    def __init__(self, session: Session, mode: FunctionMode) -> None:
        self._session = session
        self._mode = mode
        self._numbers: dict[int, tuple[Any, int]] = {}

    def rows(self) -> list[Row]:
        """None where Keras computes with another framework."""
        if not runs_on("torch"):
            return []
        return [self._mode.recording.instead(each, "apply", self._apply) for each in optimizers()]

    def _apply(self, apply: Any, optimizer: Any, grads: Any, trainable_variables: Any = None) -> Any:
        changed = changes(optimizer, grads, trainable_variables)
        with unseen():
            number = self._number_of(optimizer, [variable for variable, _ in changed])
            for variable, gradient in changed:
                self._updated(number, optimizer, variable, gradient)
        result = apply(optimizer, grads, trainable_variables)
        with unseen():
            ids = tuple([self._session.ledger.id_of(variable.value) for variable, _ in changed])
            self._session.note(OptimizerStepped, ids, None, None, number)
        return result

    def _number_of(self, optimizer: Any, variables: list[Any]) -> int:
        """Its number in the log, which knows it from its first step on, with the variables that this changes."""
        if id(optimizer) not in self._numbers:
            self._numbers[id(optimizer)] = optimizer, next_id()
            ids = tuple([self._session.ledger.id_of(each.value) for each in variables])
            about = self._numbers[id(optimizer)][1], type(optimizer).__name__
            self._session.note(OptimizerCreated, ids, None, None, about)
        return self._numbers[id(optimizer)][1]

    def _updated(self, number: int, optimizer: Any, variable: Any, gradient: Any) -> None:
        """Record what the step goes by, unless that is large."""
        session, parameter = self._session, variable.value
        session.values.about_to_change(parameter)
        if parameter.nbytes > COPIED or not session.log.keeps_values:
            return
        kept = {name: each.value for name, each in slots(optimizer, variable).items()}
        values = [session.log.keep(held(each.detach().clone())) for each in (gradient, *kept.values())]
        about = number, tuple(kept), hyperparameters(optimizer, variable, *progress(optimizer))
        session.note(ParameterUpdated, None, session.ledger.id_of(parameter), tuple(values), about)
