"""The graph of a model -> its inputs and outputs and their shapes; a batch -> what the graph makes of it."""

from __future__ import annotations

from functools import partial
from typing import Any

from tapeviz.engine import nest
from tapeviz.tf.keras.layers import Layer
from tapeviz.tf.keras.layers.base.output_specs import placing
from tapeviz.tf.keras.masks import with_masks
from tapeviz.tf.keras.models.model import Model
from tapeviz.tf.keras.symbolic import KerasTensor, LayerGraph, shape_of
from tapeviz.tf.keras.symbolic.inputs import warn_if_unlike


class GraphModel(Model):
    """Base class of models with a graph between placeholders; a `Sequential` may not have its graph yet."""

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None, **kwargs: Any) -> Any:
        """Run the graph on inputs, with masks if some are given.

        Raises:
            NotImplementedError: there is no graph, and the method was not overridden.
        """
        if self._graph_ is None:
            return super().call(inputs)
        if not (self._is_sequence_ or placing.get()):
            warn_if_unlike(inputs, self._graph_.inputs)
        outputs = self._graph_.run(with_masks(inputs, mask), partial(_call, training))
        alone = isinstance(outputs, (list, tuple)) and len(outputs) == 1
        return outputs[0] if alone and not placing.get() else outputs

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
            raise AttributeError(f"{type(self).__name__} model {self.name!r} has no {asked_for}: call it first.")
        return self._graph_


def _call(training: bool | None, layer: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Repeat a call of the graph on tensors; the model's `training`, if given, overrides that of the recorded call."""
    if training is not None and isinstance(layer, Layer):
        kwargs["training"] = training
    return layer(*args, **kwargs)


def _one_or_all(shapes: list[Any]) -> Any:
    return shapes[0] if len(shapes) == 1 else shapes
