"""Layers of Keras on TensorFlow -> a scope for each that runs."""

from __future__ import annotations

import sys
from typing import Any

from tapeviz.events.program.frames import open_scopes
from tapeviz.recorders.keras import in_keras, runs_on
from tapeviz.recorders.patches import Row
from tapeviz.recorders.scopes import Scoped
from tapeviz.recorders.tensorflow.session import Session


def rows(session: Session) -> list[Row]:
    """Every call of a layer or model is in a scope of its name, inside the user's own."""

    def calling(call: Any, layer: Any, *args: Any, **more: Any) -> Any:
        with Scoped(session.log, layer.name, session.enter(), sys._getframe()):
            return call(layer, *args, **more)

    open_scopes(calling.__code__)
    layers = in_keras("layers.layer", "Layer") if runs_on("tensorflow") else ()
    return [session.running.instead(layer, "__call__", calling) for layer in layers]
