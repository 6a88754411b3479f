"""Layers called on placeholders -> a graph of their calls, which runs on tensors (`tf.keras.Input`).

- the graph    `placeholders` and the calls of layers on them; `graph`, the order of these calls; `inputs`, which are
               converted for it
- operators    `operations`, Python's operators on placeholders; `on_weights`, on variables of layers; `promotion`, the
               dtype of their results
"""

from tapeviz.tf.keras.symbolic.graph import LayerGraph, require_placeholders, tells_graph
from tapeviz.tf.keras.symbolic.operations import Operation
from tapeviz.tf.keras.symbolic.placeholders import KerasTensor, LayerCall, is_symbolic, of_any_number, shape_of

__all__ = [
    "KerasTensor",
    "LayerCall",
    "LayerGraph",
    "Operation",
    "is_symbolic",
    "of_any_number",
    "require_placeholders",
    "shape_of",
    "tells_graph",
]
