"""A layer -> how it was made, as plain values; and those -> a new layer."""

from __future__ import annotations

from typing import Any

from tapeviz.keras.layers.base.layer import Layer
from tapeviz.keras.serialization import deserialized, serialized


def serialize(layer: Any) -> Any:
    """How a layer was made, as plain values.

    >>> import tapeviz as tf
    >>> serialize(tf.keras.layers.ReLU(6.0))["class_name"]
    'ReLU'
    """
    return serialized(layer)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """A layer from what `serialize` says of it, one's own by `custom_objects` or its registered name.

    Raises:
        TypeError: its class is not known, or cannot be made of its config.
        ValueError: it is no layer.

    >>> import tapeviz as tf
    >>> deserialize(serialize(tf.keras.layers.ReLU(6.0))).max_value
    6.0
    """
    found = deserialized(config, custom_objects)
    if not isinstance(found, Layer):
        raise ValueError(
            "`keras.layers.deserialize` was passed a `config` object that is not a `keras.layers.Layer`. "
            f"Received: {config}"
        )
    return found
