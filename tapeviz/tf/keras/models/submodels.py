"""A model whose inputs are outputs of layers -> a copy of its part of the graph, with new inputs."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import nest
from tapeviz.tf.keras.layers import Input, InputLayer
from tapeviz.tf.keras.symbolic import KerasTensor, LayerCall, LayerGraph


def with_own_inputs(inputs: Any, outputs: Any) -> tuple[Any, Any]:
    """The inputs and outputs of a model: unchanged if `Input` made the inputs, else those of a copy of the graph.

    The copy calls the same layers. The given outputs remain part of the original graph.

    >>> import tapeviz as tf
    >>> middle = tf.keras.layers.Dense(2)(tf.keras.Input((3,)))
    >>> start, end = with_own_inputs(middle, tf.keras.layers.Dense(1)(middle))
    >>> start.shape, start.call.layer.__class__.__name__, end.call.inputs == [start]
    ((None, 2), 'InputLayer', True)
    """
    starts = nest.flatten(inputs)
    if all(map(_is_input, starts)):
        return inputs, outputs
    again = {id(each): each if _is_input(each) else _input_like(each) for each in starts}

    def look_up(leaf: Any) -> Any:
        return again.get(id(leaf), leaf) if isinstance(leaf, KerasTensor) else leaf

    for call in LayerGraph(inputs, outputs).calls:
        if id(nest.flatten(call.outputs)[0]) in again:
            continue
        repeated = LayerCall(call.layer, *nest.map_structure(look_up, (call.args, call.kwargs)))
        for place in nest.flatten(call.outputs):
            again[id(place)] = KerasTensor(place.shape, place.dtype, repeated, f"{place.name}_clone")
        repeated.outputs = nest.map_structure(look_up, call.outputs)
    return nest.map_structure(look_up, inputs), nest.map_structure(look_up, outputs)


def _is_input(place: KerasTensor) -> bool:
    return place.call is None or isinstance(place.call.layer, InputLayer)


def _input_like(place: KerasTensor) -> KerasTensor:
    return Input(batch_shape=place.shape, dtype=place.dtype, name=f"{place.name}CLONE")
