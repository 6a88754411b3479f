"""The config of a layer -> a new layer; an error on the way tells the config."""

from __future__ import annotations

from typing import Any, Self

from tapeviz.keras.serialization import Configured


class Remade(Configured):
    """A layer, as far as it is made again from what it told."""

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A new one, made with these arguments.

        Raises:
            TypeError: the config is no mapping, or the class does not take its arguments.
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
