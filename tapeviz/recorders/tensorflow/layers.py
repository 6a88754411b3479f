"""A Keras layer runs -> what it does is in a scope of its name, inside the user's own."""

from __future__ import annotations

import sys
from typing import Any

from tapeviz.events.program.frames import open_scopes
from tapeviz.recorders.patches import Patches
from tapeviz.recorders.scoped import Scoped
from tapeviz.recorders.tensorflow.session import Session


def install(patches: Patches, session: Session) -> None:
    """See every call of a layer or model, if the program has Keras."""
    keras = sys.modules.get("keras.src.layers.layer")
    if keras is None:
        return

    def hooked(call: Any) -> Any:
        def __call__(layer: Any, *args: Any, **more: Any) -> Any:
            if not session.is_running:
                return call(layer, *args, **more)
            with Scoped(session.log, layer.name, session.enter(), sys._getframe()):
                return call(layer, *args, **more)

        open_scopes(__call__.__code__)
        return __call__

    patches.wrap(keras.Layer, "__call__", hooked)
