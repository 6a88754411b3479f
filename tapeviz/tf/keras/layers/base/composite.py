"""The config of a layer that contains other layers -> a new layer, with new ones in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.base.rebuilding import Remade
from tapeviz.tf.keras.serialization import deserialized


class CompositeLayer(Layer):
    """A layer that contains other layers, which its config describes."""

    _tells_layers_ = True
    """Whether `from_config` takes `custom_objects`, for the classes of these layers."""
    _parts_: ClassVar[tuple[str, ...]] = ()
    """The names of the arguments that are layers, or lists of layers."""

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Self:
        """A new layer, with new layers in it.

        Args:
            config: the config.
            custom_objects: the user's classes by their names.

        Raises:
            TypeError: the class of a layer is unknown.
        """
        made = {name: deserialized(value, custom_objects) for name, value in config.items() if name in cls._parts_}
        return super(Remade, cls).from_config(config | made)  # whose errors Keras leaves as they are
