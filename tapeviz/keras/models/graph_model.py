"""A graph between placeholders -> the attributes of its model: its inputs and outputs, and their shapes."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import nest
from tapeviz.keras.models.model import Model
from tapeviz.keras.symbolic import KerasTensor, LayerGraph, shape_of


class GraphModel(Model):
    """Base of the models that are graphs between placeholders; a `Sequential` may not be one yet."""

    @property
    def inputs(self) -> list[KerasTensor]:
        """Its placeholders.

        Raises:
            AttributeError: it has none: it was not made from `Input`.
        """
        return nest.flatten(self._require_graph_("inputs").inputs)

    @property
    def outputs(self) -> list[KerasTensor]:
        """What its layers make of the placeholders."""
        return nest.flatten(self._require_graph_("outputs").outputs)

    @property
    def input_shape(self) -> Any:
        """The shape of its placeholder; a list of shapes if there are several."""
        return _one_or_all([shape_of(each) for each in nest.flatten(self._require_graph_("input shape").inputs)])

    @property
    def output_shape(self) -> Any:
        """The shape of its output; a list of shapes if there are several."""
        return _one_or_all([shape_of(each) for each in nest.flatten(self._require_graph_("output shape").outputs)])

    def _require_graph_(self, asked_for: str) -> LayerGraph:
        if self._graph_ is None:
            raise AttributeError(f"{type(self).__name__} model {self.name!r} has no defined {asked_for} yet.")
        return self._graph_


def _one_or_all(shapes: list[Any]) -> Any:
    return shapes[0] if len(shapes) == 1 else shapes
