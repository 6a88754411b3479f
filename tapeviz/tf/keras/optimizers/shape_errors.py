"""A gradient whose shape differs from its variable's -> the error, which depends on the optimizer's rule."""

from __future__ import annotations

import numpy as np

from tapeviz.engine.op_errors.reasons import different_update_shape, incompatible_shapes
from tapeviz.engine.tensors.mutable import unassignable
from tapeviz.errors import InvalidArgumentError
from tapeviz.tf.keras.variable import Variable

Shape = tuple[int, ...]


def unfit(held: Shape, given: Shape, *, spreads: bool, assigned: Variable | None, advice: str) -> Exception:
    """The error for a gradient of the shape `given` and a variable of the shape `held`.

    Args:
        spreads: the rule first computes with a slot and the gradient, which fails if they do not broadcast.
        assigned: the slot that is assigned the result; None if it is added to the variable.
        advice: the end of the text.
    """
    if spreads:
        try:
            np.broadcast_shapes(held, given)
        except ValueError:
            pair = (given, held) if assigned is None else (held, given)
            return InvalidArgumentError(f"{incompatible_shapes(*pair)}. {advice}")
    if assigned is None:
        return InvalidArgumentError(f"{different_update_shape(held, given)}. {advice}")
    return ValueError(f"{unassignable(assigned.value, given)} {advice}")
