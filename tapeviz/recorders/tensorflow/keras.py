"""Keras, if the program has imported it -> the parts of it that are recorded, and a scope for every layer that runs."""

from __future__ import annotations

import sys
from typing import Any

from tapeviz.events.program.frames import open_scopes
from tapeviz.recorders.patches import Row
from tapeviz.recorders.scopes import Scoped
from tapeviz.recorders.tensorflow.session import Session


def in_keras(module: str, name: str) -> tuple[Any, ...]:
    """What a module of Keras' calls so, or nothing: a program may use TensorFlow without Keras."""
    found = getattr(sys.modules.get(f"keras.src.{module}"), name, None)
    return () if found is None else (found,)


def rows(session: Session) -> list[Row]:
    """Every call of a layer or model is in a scope of its name, inside the user's own."""

    def calling(call: Any, layer: Any, *args: Any, **more: Any) -> Any:
        with Scoped(session.log, layer.name, session.enter(), sys._getframe()):
            return call(layer, *args, **more)

    open_scopes(calling.__code__)
    return [session.running.instead(layer, "__call__", calling) for layer in in_keras("layers.layer", "Layer")]
