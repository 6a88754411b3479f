"""Gradients and variables as the user passes them -> the pairs with a gradient, or what is wrong with them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from tapeviz.engine.op_errors.reasons import different_update_shape, incompatible_shapes
from tapeviz.engine.tensors.mutable import unassignable
from tapeviz.errors import InvalidArgumentError
from tapeviz.tf.keras.variable import Variable

Shape = tuple[int, ...]


def present(pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """The pairs with a gradient; the others are named in a warning."""
    missing = [getattr(variable, "path", variable.name) for gradient, variable in pairs if gradient is None]
    if len(missing) == len(pairs):
        error = ValueError("No gradients provided for any variable.")  # which programs print
        error.add_note("All gradients given to the optimizer are None: ask tapeviz.why(tape, loss, variable).")
        raise error
    if missing:
        warnings.warn(
            f"Gradients do not exist for variables {missing} when minimizing the loss. If using `model.compile()`, did "
            "you forget to provide a `loss` argument?",
            stacklevel=5,
        )
    return [pair for pair in pairs if pair[0] is not None]


def unfit(held: Shape, given: Shape, *, spreads: bool, assigned: Variable | None, advice: str) -> Exception:
    """The error for a gradient of the shape `given` and a variable of the shape `held`, by the optimizer's rule.

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
