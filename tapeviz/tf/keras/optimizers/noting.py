"""Steps of optimizers -> records in the open log: what each goes by, as recorders write it of Keras' own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeviz.engine.notes import note
from tapeviz.engine.recording import current
from tapeviz.events.program.frames import users_frame
from tapeviz.events.raw import next_id
from tapeviz.events.types import OptimizerCreated, OptimizerStepped, ParameterUpdated

_PLURALS = {"velocity": "velocities"}
"""What Keras calls the lists of slots whose name does not just end in an s."""


def note_before(optimizer: Any, pairs: Sequence[tuple[Any, Any]], rate: Any, sums: Sequence[Any]) -> None:
    """A step is about to change variables by gradients, given as pairs, at a learning rate; before it these have summed
    up."""
    log = current.get().log
    if log is None:
        return
    if optimizer._number_ is None:
        optimizer._number_ = next_id()
    if optimizer._number_ not in log.mentioned:
        log.mentioned.add(optimizer._number_)
        listed = tuple(each._id for each in optimizer._trained_)
        note(OptimizerCreated, listed, attrs=(optimizer._number_, type(optimizer).__name__))
    names = [_PLURALS.get(name, f"{name}s") for group in optimizer._slots_ for name in group]
    names += ["accumulated_gradients"] if sums else []
    frame = users_frame(1)
    for given, variable in pairs:
        place = optimizer._places_[variable._id]
        kept = [*(each._value for each in optimizer._memory_[place]), *sums[place : place + 1]]
        about = optimizer._number_, tuple(names), _hyperparameters(optimizer, variable, rate)
        values = (None, *map(log.keep, kept))
        entry = getattr(given, "_id", None)
        log.append(ParameterUpdated, entry, variable._id, values, about, frame.f_code, frame.f_lasti, log.scope)


def note_after(optimizer: Any, pairs: Sequence[tuple[Any, Any]]) -> None:
    """The step has changed them."""
    if current.get().log is not None:
        note(OptimizerStepped, tuple(variable._id for _, variable in pairs), attrs=optimizer._number_)


def _hyperparameters(optimizer: Any, variable: Any, rate: Any) -> tuple[tuple[str, Any], ...]:
    known: dict[str, Any] = {
        name: each for name, each in vars(optimizer).items() if isinstance(each, (bool, int, float))
    }
    decays = optimizer.weight_decay and not optimizer._is_exempt_(variable)
    known |= {"library": "tapeviz", "lr": float(np.float32(rate)), "step": optimizer._steps_so_far_()}
    known["weight_decay"] = optimizer.weight_decay if decays else 0.0
    return tuple((name, each) for name, each in known.items() if not name.startswith("_"))
