"""The `training` argument of a layer's call -> that of the layers inside of it, unless they are given another."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from tapeviz.engine.setting import Setting
from tapeviz.tf.keras.call_signature import place_of_training

_training: ContextVar[bool | None] = ContextVar("tapeviz.keras.training", default=None)
"""The `training` of the outermost layer's call."""


def passed_on(call: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Setting:
    """A block in which the `training` of a call, or else that of the layers around it, is the default for layers.

    It is added to `kwargs`, or removed from them if the `call` does not accept it.

    Raises:
        TypeError: it is a positional argument.
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
