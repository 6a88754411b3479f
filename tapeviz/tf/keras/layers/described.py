"""A layer -> its description as plain values, and back (`tf.keras.layers.serialize` and `deserialize`)."""

from __future__ import annotations

from typing import Any

from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.serialization import deserialized, serialized


def serialize(layer: Any) -> Any:
    """The description of a layer: its class and its config, as plain values.

    >>> import tapeviz as tf
    >>> serialize(tf.keras.layers.ReLU(6.0))["class_name"]
    'ReLU'
    """
    return serialized(layer)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """A new layer from the result of `serialize`.

    Args:
        config: the description.
        custom_objects: the user's classes and functions by name, besides those that are registered.

    Raises:
        TypeError: the class is unknown, or does not accept the config.
        ValueError: it describes something other than a layer.

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
