"""Placeholders -> the model between them, and its config."""

from __future__ import annotations

from typing import Any

from tapeviz.keras.models.model import Model
from tapeviz.keras.models.serialization import graph_config


class Functional(Model):
    """What `Model(inputs, outputs)` makes: the graph between placeholders."""

    module = "keras.src.models.functional"
    tells_layers = True

    def get_config(self) -> dict[str, Any]:
        """Its name, its layers as plain values, and the calls of them that lead from the inputs to the outputs."""
        return {"name": self.name, "trainable": self.trainable, **graph_config(self._drawn("layers"))}
