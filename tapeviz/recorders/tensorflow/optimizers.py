"""Steps of Keras' optimizers on TensorFlow -> what each goes by, and the variables that it changes.

The ops of a step are logged as those of the program are.
"""

from __future__ import annotations

import math
from typing import Any
from weakref import WeakKeyDictionary

from tensorflow.python.eager import record
from tensorflow.python.ops import gen_resource_variable_ops

from tapeviz.events.attrs import Attrs
from tapeviz.events.raw import next_id
from tapeviz.events.types import OptimizerCreated, OptimizerStepped, ParameterUpdated
from tapeviz.recorders.keras import changes, hyperparameters, optimizers, progress, runs_on, slots
from tapeviz.recorders.patches import Row
from tapeviz.recorders.tensorflow.ops import Ops
from tapeviz.recorders.tensorflow.session import Session
from tapeviz.recorders.tensorflow.values import LARGE, is_followed, kept

_NUMBERS: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
"""Those of optimizers in records; a traced function has the same ones in each recording."""


class KerasSteps:
    """Hooks at what gives an optimizer its variables, and at its steps."""

    def __init__(self, session: Session, ops: Ops) -> None:
        self._session = session
        self._ops = ops
        self._ledger = ops.ledger
        self._introduced: set[int] = set()

    def rows(self) -> list[Row]:
        """The methods of the base of all optimizers; those of a subclass end there."""
        if not runs_on("tensorflow"):
            return []
        return [self._session.running.instead(each, "apply", self._apply) for each in optimizers()]

    def _apply(self, apply: Any, optimizer: Any, grads: Any, trainable_variables: Any = None) -> Any:
        session = self._session
        grads = list(grads)
        listed = None if trainable_variables is None else list(trainable_variables)
        changed = changes(optimizer, grads, listed)
        with session.noting():
            self.introduce(optimizer, listed or ())
            for variable, gradient in changed:
                self._updated(optimizer, variable, gradient)
        result = apply(optimizer, grads, listed)
        with session.noting():
            self._stepped(optimizer, [each for each, _ in changed])
        return result

    def introduce(self, optimizer: Any, variables: Any = ()) -> None:
        """An optimizer has its list from what it is built for, at its first step at the latest."""
        number = number_of(optimizer)
        if number not in self._introduced:
            self._introduced.add(number)
            listed = getattr(optimizer, "_trainable_variables", None) or variables
            ids = tuple(map(self._id_of, listed))
            self._session.note(OptimizerCreated, ids, None, None, (number, type(optimizer).__name__))

    def _id_of(self, variable: Any) -> int:
        return self._ledger.accessed(getattr(variable, "_value", variable))

    def _updated(self, optimizer: Any, variable: Any, gradient: Any) -> None:
        """Record what a step goes by."""
        session, ledger = self._session, self._ledger
        ledger.asked_for(variable)
        entry = ledger.mention(gradient, session.enter()) if is_followed(session.log, gradient) else None
        state, options = self._goes_by(optimizer, variable)
        about = number_of(optimizer), tuple(state), options
        session.note(ParameterUpdated, entry, self._id_of(variable), (None, *state.values()), about)

    def _goes_by(self, optimizer: Any, variable: Any) -> tuple[dict[str, Any], Attrs]:
        """What an optimizer has kept of a variable, unless that is large, and by which numbers it changes it."""
        log, state = self._session.log, dict[str, Any]()
        with self._ops.unrecorded(), record.stop_recording():
            if is_small(variable) and log.keeps_values:
                state = {name: kept(log, _read(each)) for name, each in slots(optimizer, variable).items()}
            return state, hyperparameters(optimizer, variable, *progress(optimizer))

    def _stepped(self, optimizer: Any, changed: list[Any]) -> None:
        """A step has changed these variables."""
        self._session.note(OptimizerStepped, tuple(map(self._id_of, changed)), None, None, number_of(optimizer))


def number_of(optimizer: Any) -> int:
    """The number of an optimizer in records."""
    if optimizer not in _NUMBERS:
        _NUMBERS[optimizer] = next_id()
    return _NUMBERS[optimizer]


def is_small(variable: Any) -> bool:
    """Whether it is logged what an optimizer keeps of a variable."""
    return bool(variable.dtype and math.prod(variable.shape) * 8 <= LARGE)


def _read(variable: Any) -> Any:
    """The value of a variable, of which no tape hears."""
    handle = getattr(variable, "_value", variable).handle
    return gen_resource_variable_ops.read_variable_op(handle, _dtype(variable))


def _dtype(variable: Any) -> Any:
    return getattr(variable, "_value", variable).dtype
