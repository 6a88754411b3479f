"""A Keras layer runs -> what it does is in a scope of its name, inside the user's own."""

from __future__ import annotations

import sys
from typing import Any

from tapeviz.events.program.frames import open_scopes
from tapeviz.recorders.patches import Row
from tapeviz.recorders.scopes import Scoped
from tapeviz.recorders.tensorflow.in_keras import in_keras
from tapeviz.recorders.tensorflow.session import Session


def rows(session: Session) -> list[Row]:
    """Every call of a layer or model, if the program has Keras."""

    def called(call: Any, layer: Any, *args: Any, **more: Any) -> Any:
        with Scoped(session.log, layer.name, session.enter(), sys._getframe()):
            return call(layer, *args, **more)

    open_scopes(called.__code__)
    return [session.running.instead(layer, "__call__", called) for layer in in_keras("layers.layer", "Layer")]
