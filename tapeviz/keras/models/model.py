"""Layers -> a model: a subclass with `call`, or the graph between placeholders (`tf.keras.Model`)."""

from __future__ import annotations

from functools import partial
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.tensor import TensorLike
from tapeviz.keras import naming
from tapeviz.keras.call_signature import in_sequence
from tapeviz.keras.layers import InputLayer, Layer
from tapeviz.keras.layers.composite import remade
from tapeviz.keras.layers.output_specs import placing
from tapeviz.keras.layers.ownership import Owner
from tapeviz.keras.masks import masks_of, with_masks
from tapeviz.keras.models.serialization import described, graph_config, graph_from_config
from tapeviz.keras.models.summary import table
from tapeviz.keras.models.training import Trainer
from tapeviz.keras.symbolic import Graph, KerasTensor, shape_of, tells_graph
from tapeviz.keras.symbolic.inputs import arranged, entered, require_fit


class Model(Trainer, Layer):
    """A layer that can be trained (`tf.keras.Model`): subclass it with `call(inputs)`, or give inputs and outputs.

    Args:
        inputs: the placeholder that `tf.keras.Input` made, or a structure of them.
        outputs: what layers made of it.
        name: its name; without one, the class's in snake case.

    Raises:
        ValueError: when called, an input of another shape than the placeholder's.

    >>> import tapeviz as tf
    >>> class Line(tf.keras.Model):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")
    ...
    ...     def call(self, x):
    ...         return self.dense(x)
    >>> Line()(tf.constant([[2.0]]))
    <tf.Tensor: shape=(1, 1), dtype=float32, numpy=array([[2.]], dtype=float32)>
    """

    module = "keras"
    graph: Graph | None = None
    is_sequence = False
    """Whether it is its layers one after the other, whatever its graph."""
    computes_shape = False
    tells_layers = False
    """Whether its config tells its layers, so that `from_config` may need to know their classes."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Model:
        return super().__new__(Functional if cls is Model and tells_graph(args, kwargs) else cls)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if tells_graph(args, kwargs):
            self._draw(*args, **kwargs)
        else:
            super().__init__(*args, **kwargs)

    def _draw(self, inputs: Any, outputs: Any, name: str | None = None, trainable: bool = True, **ignored: Any) -> None:
        """Be the graph between placeholders."""
        graph = Graph(inputs, outputs)
        super().__init__(name=name, trainable=trainable)
        self.graph, self.built, self.autocast, self._made_with = graph, True, False, None
        for layer in self.layers:
            self._held.take(layer)

    def beside_config(self) -> dict[str, Any]:
        """What there is to tell of it beside its config: as for a layer, and that it says nothing of `compile`."""
        return super().beside_config() | {"compile_config": {}}

    @property
    def layers(self) -> list[Any]:
        """The layers that it is made of; those of its graph from the inputs to the outputs."""
        if self.graph is None or self.is_sequence:
            return self.sublayers
        return [each for each in self.graph.layers if isinstance(each, Layer)]

    @property
    def inputs(self) -> list[KerasTensor]:
        """Its placeholders.

        Raises:
            AttributeError: it has none: it was not made from `Input`.
        """
        return nest.flatten(self._drawn("inputs").inputs)

    @property
    def outputs(self) -> list[KerasTensor]:
        """What its layers make of the placeholders."""
        return nest.flatten(self._drawn("outputs").outputs)

    @property
    def input(self) -> Any:
        """Its placeholders, in the structure that they were given in; without a graph of its own, as for a layer."""
        return super().input if self.graph is None or self.is_sequence else self.graph.inputs

    @property
    def output(self) -> Any:
        """What its layers make of the placeholders, in the structure that was given; else as for a layer."""
        return super().output if self.graph is None or self.is_sequence else self.graph.outputs

    @property
    def input_shape(self) -> Any:
        """The shape of its placeholder; a list of shapes if there are several."""
        return _one_or_all([shape_of(each) for each in self.inputs])

    @property
    def output_shape(self) -> Any:
        """The shape of its output; a list of shapes if there are several."""
        return _one_or_all([shape_of(each) for each in self.outputs])

    @property
    def output_names(self) -> list[str]:
        """The names of the layers that give its outputs.

        Raises:
            AttributeError: it was not made from `Input`, or is a `Sequential`.
        """
        if self.graph is None or self.is_sequence:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'output_names'")
        return [place.call.layer.name for place in self.outputs if place.call is not None]

    def _drawn(self, asked_for: str) -> Graph:
        if self.graph is None:
            raise AttributeError(f"{type(self).__name__} model {self.name!r} has no defined {asked_for} yet.")
        return self.graph

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.graph is not None and not self.is_sequence and args:
            _require_alike(args[0])
        return super().__call__(*args, **kwargs)

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None, **kwargs: Any) -> Any:
        """The outputs for some inputs, with masks if some are told: its graph is run, or the subclass says how.

        Raises:
            NotImplementedError: there is neither.
        """
        if self.graph is None:
            raise NotImplementedError(f"Model {type(self).__name__} does not have a `call()` method implemented.")
        outputs = self.graph.run(with_masks(inputs, mask), partial(_called_again, training))
        alone = isinstance(outputs, (list, tuple)) and len(outputs) == 1
        return outputs[0] if alone and not placing.get() else outputs

    def _check(self, inputs: Any) -> None:
        super()._check(inputs)
        if self.graph is None:
            return
        places, given = nest.flatten(self.graph.inputs), arranged(inputs, self.graph.inputs)
        if len(places) != len(given):
            names = [place.call.layer.name for place in places if place.call is not None]
            raise ValueError(
                f'Layer "{self.name}" expects {len(places)} named input(s) with keys {names}, but it received '
                f"{len(given)} input tensors. Pass inputs as a dict, e.g. `layer({{{names[0]!r}: ...}})`."
            )
        for index, (each, place) in enumerate(zip(given, places, strict=True)):
            if each is None:
                raise ValueError(f"The input {place.name!r} of {self.name!r} is not optional, but None was passed.")
            if not self.is_sequence:  # whose layers look for themselves
                require_fit(each, place, index, self.name)

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """A new model, made as that one was; `custom_objects` are classes of layers by their names.

        Raises:
            TypeError: a layer of a class that is not known; or arguments that the class does not take.
        """
        if "input_layers" not in config:
            return cls(**config)
        inputs, outputs = graph_from_config(config, _CLASSES | (custom_objects or {}))
        return cls(inputs, outputs, name=config["name"], trainable=config["trainable"])

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """A layer by its name or its place.

        Raises:
            ValueError: there is none, or neither or both were given.
        """
        if index is not None and name is not None:
            raise ValueError(f"Provide only a layer name or a layer index. Received: index={index}, name={name}.")
        if index is not None:
            if index >= len(self.layers):
                raise ValueError(
                    f"Was asked to retrieve layer at index {index} but model only has {len(self.layers)} layers."
                )
            return self.layers[index]
        if name is None:
            raise ValueError("Provide either a layer name or layer index at `get_layer`.")
        for layer in self.layers:
            if layer.name == name:
                return layer
        names = [layer.name for layer in self.layers]
        raise ValueError(f"No such layer: {name}. Existing layers are: {names}.")

    def summary(
        self,
        line_length: int | None = None,
        positions: Any = None,
        print_fn: Any = None,
        expand_nested: bool = False,
        show_trainable: bool = False,
        layer_range: Any = None,
    ) -> None:
        """Print the layers with their output shapes and numbers of parameters, or hand `print_fn` the text.

        Args:
            line_length: how wide the table is.
            positions: where in a line its columns end, as parts of it.
            print_fn: what is given the text, instead of printing it.
            expand_nested: layers of models in the model are shown.
            show_trainable: a column says which layers are trained.
            layer_range: the names, or patterns, of the first layer and of the last one that are shown.

        Raises:
            ValueError: no room for a column, or a range that is no pair of names of layers.
        """
        text = table(self, line_length, positions, expand_nested, show_trainable, layer_range)
        if print_fn is None:
            print(text)
        else:
            print_fn(text + "\n")


class Functional(Model):
    """What `Model(inputs, outputs)` makes: the graph between placeholders."""

    module = "keras.src.models.functional"
    tells_layers = True

    def get_config(self) -> dict[str, Any]:
        """Its name, its layers as plain values, and the calls of them that lead from the inputs to the outputs."""
        return {"name": self.name, "trainable": self.trainable, **graph_config(self._drawn("layers"))}


class Sequential(Model):
    """Layers one after the other (`tf.keras.Sequential`).

    Without an `Input` first, the weights are made when it is called.

    Raises:
        ValueError: something that is no layer, two layers of one name, or two inputs.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2, name="out")], name="line")
    >>> [v.path for v in model.weights]
    ['line/out/kernel', 'line/out/bias']
    """

    settles = False
    is_sequence = tells_layers = True

    def __init__(self, layers: Any = None, trainable: bool = True, name: str | None = None) -> None:
        super().__init__(name=name, trainable=trainable)
        self._chain: list[Layer] = []
        for layer in layers or ():
            self.add(layer, rebuild=False)
        self._renew()

    def add(self, layer: Any, rebuild: bool = True) -> None:
        """Put a layer behind the others; `rebuild=False` leaves the graph for a later call."""
        if isinstance(layer, KerasTensor) and layer.call is not None and isinstance(layer.call.layer, InputLayer):
            layer = layer.call.layer
        if not isinstance(layer, Layer):
            raise ValueError(
                "Only instances of `keras.Layer` can be added to a Sequential model. "
                f"Received: {layer} (of type {type(layer)})"
            )
        if any(layer.name == other.name and layer is not other for other in self._chain):
            raise ValueError(
                f"All layers added to a Sequential model should have unique names. Name {layer.name!r} is already the "
                "name of a layer in this model. Update the `name` argument to pass a unique name."
            )
        if isinstance(layer, InputLayer) and self._chain and isinstance(self._chain[0], InputLayer):
            raise ValueError(
                f"Sequential model {self.name!r} has already been configured to use input shape "
                f"{self._chain[0].batch_shape}. You cannot add a different Input layer to it."
            )
        if not self._chain and layer.input_shape_given is not None:
            self._chain.append(InputLayer(layer.input_shape_given))
        self._chain.append(layer)
        self._renew(rebuild)

    def pop(self, rebuild: bool = True) -> Layer:
        """Take the last layer off, and return it."""
        last = self._chain.pop()
        self._renew(rebuild)
        return last

    def _renew(self, rebuild: bool = True) -> None:
        """Forget the graph, and draw it anew if the shape of the input is known."""
        self.graph, self.built = None, False
        if rebuild and len(self._chain) > 1:
            first = self._chain[0]
            shape = first.batch_shape if isinstance(first, InputLayer) else getattr(first, "input_shape", None)
            if shape is not None:
                self.build(shape)

    def get_config(self) -> dict[str, Any]:
        """Its name and its layers as plain values, with the shape of its input if that is known."""
        config = super().get_config() | {"layers": [described(each) for each in self._chain]}
        first = self._chain[0] if self.graph is not None else None
        return config | {"build_input_shape": first.batch_shape} if isinstance(first, InputLayer) else config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Sequential:
        """A new model with layers of its own, made as those were; `custom_objects` are classes by their names.

        Raises:
            TypeError: a layer of a class that is not known.
        """
        model = cls(name=config.get("name"))
        made: dict[str, Layer] = {}  # by their names: what stands in several places is one layer
        for each in config["layers"]:
            layer = remade(each, _CLASSES | (custom_objects or {}))
            model.add(made.setdefault(layer.name, layer))
        if not model.built and "build_input_shape" in config:
            model.build(config["build_input_shape"])
        return model

    @property
    def sublayers(self) -> list[Owner]:
        """Its layers, without the input."""
        return [layer for layer in self.__dict__.get("_chain", ()) if not isinstance(layer, InputLayer)]

    def build(self, input_shape: Any = None) -> None:
        """Make the weights for inputs of this shape, which it keeps; without one, or of several, that is for its call.

        Raises:
            ValueError: it has no layers, or its inputs have another shape.
        """
        if input_shape is None or isinstance(input_shape, dict) or any(map(nest.is_nested, input_shape)):
            return
        if not self.sublayers:
            raise ValueError(
                f"Sequential model {self.name} cannot be built because it has no layers. Call `model.add(layer)`."
            )
        first = self._chain[0]
        if not isinstance(first, InputLayer):
            first = InputLayer(batch_shape=input_shape, dtype=first.dtype)
            self._chain.insert(0, first)
        if first.batch_shape != tuple(input_shape):
            raise ValueError(
                f"Sequential model {self.name!r} has already been configured to use input shape {first.batch_shape}. "
                f"You cannot build it with input_shape {input_shape}."
            )
        place = start = first.output
        try:
            for layer in self.layers:
                place = in_sequence(layer, place)
        except NotImplementedError:  # one whose output has a shape that cannot be told: its layers run one by one
            return
        self.graph = Graph(start, place)
        naming.unique("functional")  # Keras keeps such a model inside, which takes one of their names
        self.autocast = False

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None, **kwargs: Any) -> Any:
        """The output of the last layer, for inputs of the dtype and rank of its `Input`, with a mask if one is told."""
        mask = masks_of(inputs) if mask is None else mask
        if self.graph is not None:
            inputs = entered(arranged(inputs, self.graph.inputs)[0], self.graph.inputs)
        inputs = with_masks(inputs, mask)
        for layer in self.layers:
            inputs = layer(inputs)
        return inputs

    def _check(self, inputs: Any) -> None:
        if inputs is None:
            raise ValueError(f"The input of {self.name!r} is not optional, but None was passed.")
        if self.graph is not None:  # the first of several inputs is the one that counts
            super()._check(nest.flatten(inputs)[:1] if isinstance(inputs, (list, tuple)) else inputs)


def _called_again(training: bool | None, layer: Any, /, *args: Any, **kwargs: Any) -> Any:
    """A call of a graph, on tensors; what the model is told of `training` counts more than what was said there."""
    if training is not None and isinstance(layer, Layer):
        kwargs["training"] = training
    return layer(*args, **kwargs)


_CLASSES: dict[str, Any] = {"Functional": Functional, "Model": Model, "Sequential": Sequential}


def _one_or_all(shapes: list[Any]) -> Any:
    return shapes[0] if len(shapes) == 1 else shapes


def _require_alike(inputs: Any) -> None:
    """Refuse several inputs of which some are tensors, and some arrays or numbers."""
    kinds = {isinstance(each, (TensorLike, KerasTensor)) for each in nest.flatten(inputs) if each is not None}
    if len(kinds) > 1:
        raise ValueError(
            "In a nested call() argument, you cannot mix tensors and non-tensors. Received invalid mixed argument: "
            f"inputs={inputs}"
        )
