"""A layer -> plain values that tell how it was made and built."""

from __future__ import annotations

from typing import Any

from tapeviz.keras.configuration import plain
from tapeviz.keras.layers import Layer
from tapeviz.keras.symbolic import Operation


def described(layer: Layer | Operation) -> dict[str, Any]:
    """A layer's class and config; with the shape that it was built for, unless it needs no building.

    >>> import tapeviz as tf
    >>> described(tf.keras.layers.ReLU(6.0))["config"]["max_value"]
    6.0
    """
    if isinstance(layer, Operation):
        return {
            "module": "keras.src.ops.numpy",
            "class_name": layer.kind,
            "config": layer.get_config(),
            "registered_name": layer.kind,
        }
    told: dict[str, Any] = plain(layer)
    return told
