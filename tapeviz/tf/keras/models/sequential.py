"""Layers -> a model that calls them one after the other (`tf.keras.Sequential`)."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.tf.keras import naming
from tapeviz.tf.keras.layers import InputLayer, Layer
from tapeviz.tf.keras.layers.base.ownership import Owner
from tapeviz.tf.keras.masks import masks_of, with_masks
from tapeviz.tf.keras.models.graph_model import GraphModel
from tapeviz.tf.keras.models.serialization import described, layer_of
from tapeviz.tf.keras.symbolic import KerasTensor, LayerGraph
from tapeviz.tf.keras.symbolic.inputs import arranged, entered


class Sequential(GraphModel):
    """A model that calls its layers one after the other (`tf.keras.Sequential`).

    Without an `Input` as the first layer, the first call makes the weights.

    Args:
        layers: a list of layers.
        trainable: whether its weights are trained.
        name: its name.

    Raises:
        ValueError: an element is not a layer, two layers have the same name, or there are two inputs.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2, name="out")], name="line")
    >>> [v.path for v in model.weights]
    ['line/out/kernel', 'line/out/bias']
    """

    _settles_ = False
    _is_sequence_ = _tells_layers_ = True

    def __init__(self, layers: Any = None, trainable: bool = True, name: str | None = None) -> None:
        super().__init__(name=name, trainable=trainable)
        self._chain_: list[Layer] = []
        for layer in layers or ():
            self.add(layer, rebuild=False)
        self._renew_()

    def add(self, layer: Any, rebuild: bool = True) -> None:
        """Append a layer. With `rebuild=False` the graph is not made until the model is called."""
        if isinstance(layer, KerasTensor) and layer.call is not None and isinstance(layer.call.layer, InputLayer):
            layer = layer.call.layer
        if not isinstance(layer, Layer):
            raise ValueError(
                "Only instances of `keras.Layer` can be added to a Sequential model. "
                f"Received: {layer} (of type {type(layer)})"
            )
        if any(layer.name == other.name and layer is not other for other in self._chain_):
            raise ValueError(
                f"All layers added to a Sequential model should have unique names. Name {layer.name!r} is already the "
                "name of a layer in this model. Update the `name` argument to pass a unique name."
            )
        if isinstance(layer, InputLayer) and self._chain_ and isinstance(self._chain_[0], InputLayer):
            raise ValueError(
                f"Sequential model {self.name!r} has already been configured to use input shape "
                f"{self._chain_[0].batch_shape}. You cannot add a different Input layer to it."
            )
        if not self._chain_ and layer._input_shape_given_ is not None:
            self._chain_.append(InputLayer(layer._input_shape_given_))
        self._chain_.append(layer)
        self._renew_(rebuild)

    def pop(self, rebuild: bool = True) -> Layer:
        """Remove and return the last layer.

        Raises:
            IndexError: there is no layer, or only one (unless `rebuild=False`).
        """
        last = self._chain_.pop() if self._chain_ else None
        if last is None or (rebuild and not self._chain_):
            raise IndexError(f"list index out of range: no layer is left in {self.name!r}.")
        self._renew_(rebuild)
        return last

    def _renew_(self, rebuild: bool = True) -> None:
        """Discard the graph, and make a new one if the shape of the input is known."""
        self._graph_, self.built = None, False
        if rebuild and len(self._chain_) > 1:
            first = self._chain_[0]
            shape = first.batch_shape if isinstance(first, InputLayer) else getattr(first, "input_shape", None)
            if shape is not None:
                self.build(shape)

    def get_config(self) -> dict[str, Any]:
        """The model's name and its layers as plain values, and the shape of its input if that is known."""
        config = super().get_config() | {"layers": [described(each) for each in self._chain_]}
        first = self._chain_[0] if self._graph_ is not None else None
        return config | {"build_input_shape": first.batch_shape} if isinstance(first, InputLayer) else config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Sequential:
        """A new model with new layers from a config; `custom_objects` are classes by name.

        Raises:
            TypeError: the class of a layer is unknown.
        """
        model = cls(name=config.get("name"))
        made: dict[str, Layer] = {}  # by name, since one layer may stand in several places
        for each in config["layers"]:
            layer = layer_of(each, custom_objects)
            model.add(made.setdefault(layer.name, layer))
        if not model.built and "build_input_shape" in config:
            model.build(config["build_input_shape"])
        return model

    @property
    def _sublayers_(self) -> list[Owner]:
        """The layers without the `InputLayer`."""
        return [layer for layer in self.__dict__.get("_chain_", ()) if not isinstance(layer, InputLayer)]

    def build(self, input_shape: Any = None) -> None:
        """Make the weights for inputs of a shape, which the model then requires.

        Without a shape, or with several, the weights are made at the first call.

        Raises:
            ValueError: there are no layers, or the model already has another input shape.
        """
        if not _is_shape(input_shape):
            return
        if not self._sublayers_:
            raise ValueError(
                f"Sequential model {self.name} cannot be built because it has no layers. Call `model.add(layer)`."
            )
        first = self._chain_[0]
        if not isinstance(first, InputLayer):
            first = InputLayer(batch_shape=input_shape, dtype=first.dtype)
            self._chain_.insert(0, first)
        if first.batch_shape != tuple(input_shape):
            raise ValueError(
                f"Sequential model {self.name!r} has already been configured to use input shape {first.batch_shape}. "
                f"You cannot build it with input_shape {input_shape}."
            )
        place = start = first.output
        try:
            for layer in self.layers:
                place = _in_sequence(layer, place)
        except NotImplementedError:  # the output shape of a layer is unknown, so there is no graph
            return
        self._graph_ = LayerGraph(start, place)
        naming.unique("functional")  # Keras keeps a functional model inside, which uses up a name
        self.autocast = False

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None, **kwargs: Any) -> Any:
        """The output of the last layer; inputs are converted to the dtype and rank of the `Input`, if there is one."""
        mask = masks_of(inputs) if mask is None else mask
        if self._graph_ is not None:  # of several inputs, the first one is used
            super()._check_(nest.flatten(inputs)[:1] if isinstance(inputs, (list, tuple)) else inputs)
            inputs = entered(arranged(inputs, self._graph_.inputs)[0], self._graph_.inputs)
        inputs = with_masks(inputs, mask)
        for layer in self.layers:
            inputs = layer(inputs)
        return inputs

    def _build_for_(self, args: Any, kwargs: Any) -> None:
        if args[0] is not None:  # for None, the first layer raises the error
            super()._build_for_(args, kwargs)

    def _check_(self, inputs: Any) -> None:
        """Checked in `call` instead, since in Keras the functional model inside a `Sequential` checks its inputs."""


def _in_sequence(layer: Any, place: Any) -> Any:
    """The output of a layer for a placeholder, as its only argument.

    Raises:
        ValueError: its `call` takes no input, or requires further arguments.
    """
    try:
        return layer(place)
    except TypeError:
        placed = [
            each
            for each in signature(layer.call).parameters.values()
            if each.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
        ]
        needed = [each for each in placed if each.default is Parameter.empty]
        kind = type(layer).__name__
        if not placed:
            raise ValueError(
                "Layers added to a Sequential model should have a single positional argument, the input tensor. Layer "
                f"{kind} has no positional arguments."
            ) from None
        if len(needed) > 1:
            raise ValueError(
                "Layers added to a Sequential model can only have a single required positional argument, the input "
                f"tensor. Layer {kind} has multiple required positional arguments: {needed}. Give the others defaults."
            ) from None
        raise


def _is_shape(value: Any) -> bool:
    """Whether it is a single shape, possibly with unknown lengths."""
    return isinstance(value, (tuple, list, TensorShape)) and all(
        each is None or isinstance(each, (int, np.integer)) for each in value
    )
