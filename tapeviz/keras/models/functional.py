"""Placeholders -> the model between them, and its config."""

from __future__ import annotations

from typing import Any

from tapeviz.keras.layers.base.tracking import TrackedList
from tapeviz.keras.models.graph_model import GraphModel
from tapeviz.keras.models.serialization import graph_config


class Functional(GraphModel):
    """What `Model(inputs, outputs)` makes: the graph between placeholders."""

    _module_ = "keras.src.models.functional"
    _tells_layers_ = True

    @property
    def output_names(self) -> list[str]:
        """The names of the layers that give its outputs.

        Raises:
            AttributeError: it has no placeholders yet.
        """
        if self._graph_ is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'output_names'")
        return TrackedList(place.call.layer.name for place in self.outputs if place.call is not None)

    def get_config(self) -> dict[str, Any]:
        """Its name, its layers as plain values, and the calls of them that lead from the inputs to the outputs.

        Of a class with an `__init__` of its own, what every layer tells.
        """
        if type(self).__init__ is not GraphModel.__init__:
            return super().get_config()
        return {"name": self.name, "trainable": self.trainable, **graph_config(self._require_graph_("layers"))}
