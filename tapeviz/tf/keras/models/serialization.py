"""A layer or a graph of layers -> a config of plain values, and a config -> new layers and a new graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import constant
from tapeviz.tf.keras.layers import InputLayer, Layer
from tapeviz.tf.keras.serialization import deserialized, serialized
from tapeviz.tf.keras.symbolic import KerasTensor, LayerCall, LayerGraph, Operation
from tapeviz.tf.keras.symbolic.operations import MODULE


def described(layer: Layer | Operation) -> dict[str, Any]:
    """A layer's class and config, and the shape that it was built for, if it has to be built.

    >>> import tapeviz as tf
    >>> described(tf.keras.layers.ReLU(6.0))["config"]["max_value"]
    6.0
    """
    if isinstance(layer, Operation):
        return {
            "module": layer.row.module,
            "class_name": layer._kind_,
            "config": layer.get_config(),
            "registered_name": layer._kind_,
        }
    description: dict[str, Any] = serialized(layer)
    return description


def layer_of(description: Mapping[str, Any], classes: Mapping[str, Any] | None = None) -> Any:
    """A new layer, or operation, from its description by `described`; without a module, one of `tf.keras.layers`.

    Raises:
        TypeError: its class is neither in `classes` nor in its module.

    >>> layer_of({"class_name": "ReLU", "config": {"max_value": 6.0}}).max_value
    6.0
    """
    description = {"module": "keras.layers", **description}
    if f"{description['module']}".startswith(MODULE):
        return Operation(description["class_name"], **description["config"])
    return deserialized(description, classes)


def graph_config(graph: LayerGraph) -> dict[str, Any]:
    """All layers of a graph, each with its calls that lead from the inputs to the outputs.

    >>> import tapeviz as tf
    >>> image = tf.keras.Input((4,), name="image")
    >>> told = graph_config(LayerGraph(image, tf.keras.layers.ReLU(name="positive")(image)))
    >>> [each["name"] for each in told["layers"]], told["output_layers"]
    (['image', 'positive'], ['positive', 0, 0])
    """
    histories = _Histories(graph)
    layers = []
    for layer in graph.layers:
        nodes = [
            {"args": histories.serialized(call.args), "kwargs": histories.serialized(call.kwargs)}
            for call in histories.calls.get(layer, ())
            if call.inputs
        ]
        layers.append(described(layer) | {"name": layer.name, "inbound_nodes": nodes})
    return {
        "layers": layers,
        "input_layers": nest.map_structure(histories.of, graph.inputs),
        "output_layers": nest.map_structure(histories.of, graph.outputs),
    }


class _Histories:
    """Each placeholder of a graph as the name of the layer that made it, and the indices of its call and output."""

    def __init__(self, graph: LayerGraph) -> None:
        self.calls: dict[Any, list[LayerCall]] = {layer: [] for layer in graph.layers}
        first = [each.call for each in nest.flatten(graph.inputs) if each.call]  # the outputs may not depend on them
        for call in dict.fromkeys([*first, *graph.calls]):
            self.calls[call.layer].append(call)

    def of(self, place: KerasTensor) -> list[Any]:
        call = place.call
        if call is None:
            return [place.name, 0, 0]
        return [call.layer.name, self.calls[call.layer].index(call), call.place_of(place)]

    def serialized(self, value: Any) -> Any:
        """Arguments as plain values."""
        if isinstance(value, dict):
            return {name: self.serialized(each) for name, each in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)([self.serialized(each) for each in value])
        if isinstance(value, KerasTensor):
            return _one_of("keras_tensor", shape=value.shape, dtype=value.dtype, keras_history=self.of(value))
        if isinstance(value, slice):
            return _one_of("slice", start=value.start, stop=value.stop, step=value.step)
        if value is Ellipsis:
            return _one_of("ellipsis")
        if isinstance(value, (TensorLike, np.ndarray)):
            kind = "tensor" if isinstance(value, TensorLike) else "numpy"
            return _one_of(kind, value=np.asarray(value).tolist(), dtype=np.asarray(value).dtype.name)
        return value


def _one_of(kind: str, **config: Any) -> dict[str, Any]:
    return {"class_name": f"__{kind}__", "config": config}


def graph_from_config(config: Mapping[str, Any], classes: Mapping[str, Any]) -> tuple[Any, Any]:
    """The inputs and outputs of a new graph with new layers, from the `graph_config` of a graph.

    Raises:
        TypeError: the class of a layer is neither in `classes` nor in its module.
        ValueError: calls depend on each other in a cycle, or on a call that is missing.

    >>> import tapeviz as tf
    >>> image = tf.keras.Input((4,), name="image")
    >>> graph_from_config(graph_config(LayerGraph(image, tf.keras.layers.ReLU(name="positive")(image))), {})[1].shape
    (None, 4)
    """
    layers = {each["name"]: layer_of(each, classes) for each in config["layers"]}
    outputs = {(name, 0): [layer.output] for name, layer in layers.items() if isinstance(layer, InputLayer)}
    waiting = [(each["name"], at, node) for each in config["layers"] for at, node in enumerate(each["inbound_nodes"])]

    def place(history: Any) -> KerasTensor:
        name, call, output = history
        found: KerasTensor = outputs[name, call][output]
        return found

    while waiting:
        late = []
        for name, at, node in waiting:
            try:
                args, kwargs = _read(node["args"], place), _read(node["kwargs"], place)
            except KeyError:
                late.append((name, at, node))
                continue
            outputs[name, at] = nest.flatten(layers[name](*args, **kwargs))
        if len(late) == len(waiting):
            names = sorted({name for name, *_ in late})
            raise ValueError(f"from_config: the calls of {names} need one another, or a layer that is not there.")
        waiting = late
    return _places(config["input_layers"], place), _places(config["output_layers"], place)


def _read(value: Any, place: Callable[[Any], KerasTensor]) -> Any:
    """The arguments that `_Histories.serialized` wrote as plain values."""
    if isinstance(value, (list, tuple)):
        return type(value)([_read(each, place) for each in value])
    if not isinstance(value, dict):
        return value
    config: Any = value.get("config")
    match value.get("class_name"):
        case "__keras_tensor__":
            return place(config["keras_history"])
        case "__slice__":
            return slice(config["start"], config["stop"], config["step"])
        case "__ellipsis__":
            return Ellipsis
        case "__tensor__":
            return constant(config["value"], config["dtype"])
        case "__numpy__":
            return np.array(config["value"], config["dtype"])
    return {name: _read(each, place) for name, each in value.items()}


def _places(histories: Any, place: Callable[[Any], KerasTensor]) -> Any:
    """A structure of histories with the placeholders in their places."""
    if isinstance(histories, dict):
        return {name: _places(each, place) for name, each in histories.items()}
    if isinstance(histories[0], str):
        return place(histories)
    return type(histories)([_places(each, place) for each in histories])
