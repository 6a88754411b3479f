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

    Raises:
        TypeError: it is given by its place alone, where something meant for another argument may stand.
    """
    place = place_of_training(call)
    spoken, is_named = kwargs.get("training"), "training" in kwargs
    comes_by_place = place is not None and place < len(args)
    if spoken is None and place is not None and comes_by_place:
        spoken = args[place]
    chosen = _training.get() if spoken is None else spoken
    if place is None:
        kwargs.pop("training", None)
    elif chosen is not None and comes_by_place and not is_named:  # Keras gives it by its name too, and Python refuses
        raise TypeError(f"{call.__qualname__}() got multiple values for argument 'training': give it by its name.")
    elif chosen is not None:
        kwargs["training"] = chosen
    return Setting(_training, chosen)
