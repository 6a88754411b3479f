"""A layer -> plain values that tell how it was made and built, and such values -> a layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapeviz.keras import layers
from tapeviz.keras.configuration import plain
from tapeviz.keras.layers import Layer
from tapeviz.keras.models.training import Trainer
from tapeviz.keras.symbolic import Operation


def described(layer: Layer | Operation) -> dict[str, Any]:
    """A layer's class and config; with the shape that it was built for, unless it needs no building.

    >>> described(layers.ReLU(6.0))["config"]["max_value"]
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
    if layer.built_for is not None and not type(layer).built:
        told["build_config"] = {"input_shape": layer.built_for}
    if isinstance(layer, Trainer):
        told["compile_config"] = {}
    return told


def remade(description: dict[str, Any], classes: Mapping[str, Any]) -> Layer:
    """A new layer of some classes, or of `tf.keras.layers`, from what `described` says of it.

    Raises:
        TypeError: its class is not known.

    >>> remade(described(layers.ReLU(6.0)), {}).max_value
    6.0
    """
    name = description["class_name"]
    kind = classes.get(name) or vars(layers).get(name)
    if kind is None:
        raise TypeError(
            f"Could not locate class {name!r}. Pass it: from_config(config, custom_objects={{{name!r}: ...}})."
        )
    nested = (classes,) if getattr(kind, "tells_layers", False) else ()
    made: Layer = kind.from_config(description["config"], *nested)
    return made
