"""Layers and losses of Keras on TensorFlow -> a scope for each that runs."""

from __future__ import annotations

import sys
from typing import Any

from tapeviz.events.program.frames import open_scopes
from tapeviz.recorders.keras import part_name, runs_on, scoped
from tapeviz.recorders.patches import Row
from tapeviz.recorders.scopes import Scoped
from tapeviz.recorders.tensorflow.session import Session


def rows(session: Session) -> list[Row]:
    """Every call of a layer, model or loss is in a scope of its name, inside the user's own."""

    def calling(call: Any, part: Any, *args: Any, **more: Any) -> Any:
        with Scoped(session.log, part_name(part), session.enter(), sys._getframe(), type(part).__name__):
            return call(part, *args, **more)

    open_scopes(calling.__code__)
    parts = scoped() if runs_on("tensorflow") else ()
    return [session.running.instead(owner, name, calling) for owner, name in parts]
