"""Layers called on placeholders -> a graph of their calls, which runs on tensors (`tf.keras.Input`)."""

from tapeviz.keras.symbolic.graph import Graph, tells_graph
from tapeviz.keras.symbolic.operations import Operation
from tapeviz.keras.symbolic.placeholders import Call, KerasTensor, is_symbolic, shape_of, spec_like

__all__ = ["Call", "Graph", "KerasTensor", "Operation", "is_symbolic", "shape_of", "spec_like", "tells_graph"]
