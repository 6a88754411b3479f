"""The `training` that a layer is called with -> that of the layers inside it, which go by it unless told otherwise."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from tapeviz.engine.setting import Setting
from tapeviz.keras.call_signature import place_of_training

_training: ContextVar[bool | None] = ContextVar("tapeviz.keras.training", default=None)
"""What the outermost layer was called with."""


def passed_on(call: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Setting:
    """A context in which layers go by what the caller of a `call` says, or what the layers around it were called with.

    In `kwargs` it is put in, or taken out where the `call` does not take it.
    """
    place = place_of_training(call)
    spoken = kwargs.get("training")
    if spoken is None and place is not None and place < len(args):
        spoken = args[place]
    chosen = _training.get() if spoken is None else spoken
    if place is None:
        kwargs.pop("training", None)
    elif chosen is not None:  # also beside one that comes by its place, which Python refuses, as in Keras
        kwargs["training"] = chosen
    return Setting(_training, chosen)
