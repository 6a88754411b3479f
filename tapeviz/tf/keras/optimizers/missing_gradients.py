"""Gradients and variables as the user passes them -> the pairs with a gradient, and a warning about the others."""

from __future__ import annotations

import warnings
from typing import Any


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
