"""The graph of a model -> the model's inputs and outputs, and their shapes."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import nest
from tapeviz.keras.models.model import Model
from tapeviz.keras.symbolic import KerasTensor, LayerGraph, shape_of


class GraphModel(Model):
    """Base class of models with a graph between placeholders; a `Sequential` may not have its graph yet."""

    @property
    def inputs(self) -> list[KerasTensor]:
        """The placeholders that the graph starts from.

        Raises:
            AttributeError: there is no graph, as there was no `Input`.
        """
        return nest.flatten(self._require_graph_("inputs").inputs)

    @property
    def outputs(self) -> list[KerasTensor]:
        """The placeholders that the graph ends in."""
        return nest.flatten(self._require_graph_("outputs").outputs)

    @property
    def input_shape(self) -> Any:
        """The shape of the input; a list of shapes if there are several."""
        return _one_or_all([shape_of(each) for each in nest.flatten(self._require_graph_("input shape").inputs)])

    @property
    def output_shape(self) -> Any:
        """The shape of the output; a list of shapes if there are several."""
        return _one_or_all([shape_of(each) for each in nest.flatten(self._require_graph_("output shape").outputs)])

    def _require_graph_(self, asked_for: str) -> LayerGraph:
        if self._graph_ is None:
            raise AttributeError(f"{type(self).__name__} model {self.name!r} has no defined {asked_for} yet.")
        return self._graph_


def _one_or_all(shapes: list[Any]) -> Any:
    return shapes[0] if len(shapes) == 1 else shapes
