"""A gradient of another shape than its variable's -> the error of the first step of a rule that fails."""

from __future__ import annotations

import numpy as np

from tapeviz.engine.refusals.sentences import unbroadcastable, unequal_update
from tapeviz.engine.tensors.mutable import unassignable
from tapeviz.errors import InvalidArgumentError
from tapeviz.keras.variable import Variable

Shape = tuple[int, ...]


def unfit(held: Shape, given: Shape, *, spreads: bool, assigned: Variable | None, advice: str) -> Exception:
    """The error for a gradient of the shape `given` and a variable of the shape `held`.

    A rule that `spreads` computes with a slot before it writes it, by which lengths that do not fit are found. What it
    makes is added to the slot, or to the variable itself, where there is none that is `assigned` it.
    """
    if spreads:
        try:
            np.broadcast_shapes(held, given)
        except ValueError:
            pair = (given, held) if assigned is None else (held, given)
            return InvalidArgumentError(f"{unbroadcastable(*pair)}. {advice}")
    if assigned is None:
        return InvalidArgumentError(f"{unequal_update(held, given)}. {advice}")
    return ValueError(f"{unassignable(assigned.value, given)} {advice}")
