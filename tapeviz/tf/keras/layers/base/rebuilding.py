"""The config of a layer -> a new layer, built for the same shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

from tapeviz.tf.keras.serialization import Configured


class Remade(Configured):
    """The base of `Layer` that can be made again from a config, and built for the same shapes."""

    built = False
    build: Callable[..., None]
    _built_for_: Mapping[str, Any] = {}
    """The arguments of `build`, by name."""

    def _built_with_(self, **shapes: Any) -> None:
        """Remember the arguments of `build`; if one class's `build` calls another's, those of the former."""
        vars(self)["_built_for_"] = {name: shape for name, shape in shapes.items() if shape is not None}

    def get_build_config(self) -> dict[str, Any] | None:
        """The shape that it was built for, or several shapes by name; None if it is not built."""
        shapes = self._built_for_
        if len(shapes) == 1:
            return {"input_shape": next(iter(shapes.values()))}
        return {"shapes_dict": {**shapes}} if shapes else None

    def build_from_config(self, config: Mapping[str, Any]) -> None:
        """Build it for the shapes in the result of `get_build_config`."""
        if "input_shape" in config:
            self.build(config["input_shape"])
        elif "shapes_dict" in config:
            self.build(**config["shapes_dict"])

    def _beside_config_(self) -> dict[str, Any]:
        """Its `build_config`, besides its config, unless its class need not be built."""
        told = None if type(self).built else self.get_build_config()
        return {} if told is None else {"build_config": told}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A new object from a config.

        Raises:
            TypeError: the config is not a dict, or the class does not take its arguments.
        """
        told = dict(**config)
        if "quantization_config" in cls._settings_:
            told.setdefault("quantization_config", None)
        try:
            return super().from_config(config)
        except Exception as error:
            raise TypeError(
                f"Error when deserializing class '{cls.__name__}' using config={told}.\n\n"
                f"Exception encountered: {error}"
            ) from error
