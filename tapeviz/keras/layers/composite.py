"""What `get_config` says of a layer that holds others -> a new one, with new ones in it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from tapeviz.keras import layers
from tapeviz.keras.layers.base import Layer
from tapeviz.keras.serialization import is_class


def remade(description: Any, classes: Mapping[str, Any] | None = None) -> Any:
    """A new layer from its class and config: a class of `classes`, of `tf.keras.layers`, or of a module by its name.

    A list of them gives a list; what is a layer already, or None, stays.

    Raises:
        TypeError: its class is not known.

    >>> remade({"class_name": "ReLU", "config": {"max_value": 6.0}}).max_value
    6.0
    """
    if isinstance(description, list):
        return [remade(each, classes) for each in description]
    if not isinstance(description, dict):
        return description
    name, module = description["class_name"], description.get("module") or layers.__name__
    module = module.replace("keras.src.", "keras.")  # where Keras keeps what it calls by shorter names
    known = sys.modules.get(f"tapeviz.{module}" if module.split(".")[0] == "keras" else module, layers)
    kind = (classes or {}).get(name) or getattr(known, name, None)
    if not is_class(kind):
        raise TypeError(
            f"Could not locate class {name!r}. Pass it: from_config(config, custom_objects={{{name!r}: ...}})."
        )
    return kind.from_config(description["config"], *((classes,) if getattr(kind, "tells_layers", False) else ()))


class Composite(Layer):
    """A layer that is made of other layers, which its config describes."""

    tells_layers = True
    """Whether `from_config` takes the classes of what it is made of."""
    parts: ClassVar[tuple[str, ...]] = ()
    """Those of its arguments that are layers, or lists of layers."""

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Self:
        """A new one with new layers in it; `custom_objects` are classes by their names.

        Raises:
            TypeError: a layer of a class that is not known.
        """
        made = {name: remade(value, custom_objects) for name, value in config.items() if name in cls.parts}
        return super().from_config(config | made)
