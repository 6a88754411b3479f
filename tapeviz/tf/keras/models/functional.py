"""Placeholders -> the model between them, and its config."""

from __future__ import annotations

from typing import Any

from tapeviz.tf.keras.layers.base.tracking import TrackedList
from tapeviz.tf.keras.models.graph_model import GraphModel
from tapeviz.tf.keras.models.model import Model
from tapeviz.tf.keras.models.serialization import graph_config


class Functional(GraphModel):
    """A model made by `Model(inputs, outputs)`: the graph of layers between placeholders."""

    _module_ = "keras.src.models.functional"
    _tells_layers_ = True

    @property
    def output_names(self) -> list[str]:
        """The names of the layers whose outputs the model returns.

        Raises:
            AttributeError: the model has no graph yet.
        """
        if self._graph_ is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'output_names'")
        return TrackedList(place.call.layer.name for place in self.outputs if place.call is not None)

    def get_config(self) -> dict[str, Any]:
        """The model's name, its layers as plain values, and the calls that lead from the inputs to the outputs.

        A subclass with its own `__init__` has the config of any layer instead.
        """
        if type(self).__init__ is not GraphModel.__init__:
            return super().get_config()
        return {"name": self.name, "trainable": self.trainable, **graph_config(self._require_graph_("layers"))}


Model._functional_ = Functional
