"""Layers of Keras on JAX -> what their variables are called, and the scopes that Keras leaves out.

All other scopes it makes itself, by `jax.named_scope`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
        session.called.update(_paths(layer, args, more))
        with jax.named_scope(part_name(layer)):
            return call(layer, *args, **more)

    parts = scoped() if runs_on("jax") else ()
    looking = When(lambda: session.is_looking and get_ident() == session.thread)
    return [looking.instead(owner, name, calling) for owner, name in parts if name == "stateless_call"]


def _paths(layer: Any, args: Sequence[Any], more: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """What stands for a variable of a layer's, by its id, and Keras' path of that variable."""
    for slot, name in enumerate(("trainable_variables", "non_trainable_variables")):
        given = args[slot] if slot < len(args) else more.get(name)
        if isinstance(given, list | tuple):
            for value, variable in zip(given, getattr(layer, name), strict=False):
                yield id(value), variable.path
