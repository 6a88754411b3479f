"""Layers of Keras on JAX -> the scopes that Keras leaves out; all others it makes itself, by `jax.named_scope`."""

from __future__ import annotations

from threading import get_ident
from typing import Any

import jax

from tapeviz.recorders.hooks import When
from tapeviz.recorders.jax.session import Session
from tapeviz.recorders.keras import part_name, runs_on, scoped
from tapeviz.recorders.patches import Row


def rows(session: Session) -> list[Row]:
    """A model without state, as `fit` calls it, runs past its `__call__`, which would have named a scope.

    In what the program itself traces, nothing is changed.
    """

    def calling(call: Any, layer: Any, *args: Any, **more: Any) -> Any:
        with jax.named_scope(part_name(layer)):
            return call(layer, *args, **more)

    parts = scoped() if runs_on("jax") else ()
    looking = When(lambda: session.is_looking and get_ident() == session.thread)
    return [looking.instead(owner, name, calling) for owner, name in parts if name == "stateless_call"]
