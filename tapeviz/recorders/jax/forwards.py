"""Derivatives that a program takes forwards -> that they are not in the log, which has reverse passes alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
from jax._src import api

from tapeviz.events.program.frames import is_library, outward, users_frame
from tapeviz.recorders.jax.gradient_calls import GradientCalls
from tapeviz.recorders.jax.session import Session
from tapeviz.recorders.patches import Row

FORWARDS = "forwards, by {}: only what goes back, as `jax.grad` and `jax.jacrev` do, is recorded"
"""Why a gradient is not seen."""
_JACOBIAN, _LINEAR = "`jax.jacfwd` or `jax.hessian`", "`jax.linearize`"
_JAX = str(Path(jax.__file__).parent)


class Forwards:
    """Hooks at `jax.linearize`, and at what `jax.jacfwd` looks at its arguments with; `jax.hessian` is one of these.

    What a library takes so is its own affair: a solver may have a derivative for each of its steps.
    """

    def __init__(self, session: Session, calls: GradientCalls) -> None:
        self._session = session
        self._calls = calls

    def rows(self) -> list[Row]:
        """Where the program calls them."""
        rows = (jax, "linearize", _LINEAR), (api, "_check_input_dtype_jacfwd", _JACOBIAN)
        return [self._row(owner, name, function) for owner, name, function in rows if hasattr(owner, name)]

    def _row(self, owner: Any, name: str, function: str) -> Row:
        def say(*args: Any, **named: Any) -> None:
            if _is_programs():
                self._calls.unseen(self._session.here_now(), FORWARDS.format(function))

        return self._session.here.before(owner, name, say)


def _is_programs() -> bool:
    """Whether it is the user, and no library, that called JAX."""
    below = (each.f_code.co_filename for each in outward(users_frame(1)))
    return not is_library(next((each for each in below if not each.startswith(_JAX)), _JAX))
