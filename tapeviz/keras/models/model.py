"""Layers -> a model: a subclass with `call`, or the graph between placeholders (`tf.keras.Model`)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.keras.layers import Layer
from tapeviz.keras.layers.base.output_specs import placing
from tapeviz.keras.masks import with_masks
from tapeviz.keras.models.serialization import graph_from_config
from tapeviz.keras.models.submodels import behind_inputs
from tapeviz.keras.models.summary import table
from tapeviz.keras.models.training import Trainer
from tapeviz.keras.symbolic import KerasTensor, LayerGraph, require_placeholders, tells_graph
from tapeviz.keras.symbolic.inputs import arranged, require_fit, require_named, warn_if_unlike


class Model(Trainer):
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

    _module_ = "keras"
    _graph_: LayerGraph | None = None
    _is_sequence_ = False
    """Whether it is its layers one after the other, whatever its graph."""
    _computes_shape_ = False
    _tells_layers_ = False
    """Whether its config tells its layers, so that `from_config` may need to know their classes."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Model:
        from tapeviz.keras.models.functional import Functional  # which is a model

        return super().__new__(Functional if cls is Model and tells_graph(args, kwargs) else cls)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if tells_graph(args, kwargs):
            _be_drawn(type(self))
            self._draw_(*args, **kwargs)
        else:
            super().__init__(*args, **kwargs)

    def _draw_(
        self, inputs: Any, outputs: Any, name: str | None = None, trainable: bool = True, **ignored: Any
    ) -> None:
        """Be the graph between placeholders."""
        require_placeholders(inputs=inputs, outputs=outputs)
        super().__init__(name=name, trainable=trainable)  # which takes a name also where the graph is refused
        self._graph_ = LayerGraph(*behind_inputs(inputs, outputs))
        self.built = True
        self.autocast = False
        self._made_with_ = None
        for layer in self.layers:
            self._held_.take(layer)

    def _beside_config_(self) -> dict[str, Any]:
        """What there is to tell of it beside its config: as for a layer, and that it says nothing of `compile`."""
        return super()._beside_config_() | {"compile_config": {}}

    def build_from_config(self, config: Mapping[str, Any]) -> None:
        """Build it for what `get_build_config` told; without a `build` of its own that is for its first call."""
        if type(self).build is not Layer.build:
            super().build_from_config(config)

    @property
    def layers(self) -> list[Any]:
        """The layers that it is made of; those of its graph from the inputs to the outputs."""
        if self._graph_ is None or self._is_sequence_:
            return self._sublayers_
        return [each for each in self._graph_.layers if isinstance(each, Layer)]

    @layers.setter
    def layers(self, value: Any) -> None:
        if self._is_sequence_:
            raise AttributeError(
                "`Sequential.layers` attribute is reserved and should not be used. Use `add()` and `pop()` to change "
                "the layers in this model."
            )
        raise AttributeError("`Model.layers` attribute is reserved and should not be used. Please use another name.")

    @property
    def input(self) -> Any:
        """Its placeholders, in the structure that they were given in; without a graph of its own, as for a layer."""
        return super().input if self._graph_ is None or self._is_sequence_ else self._graph_.inputs

    @property
    def output(self) -> Any:
        """What its layers make of the placeholders, in the structure that was given; else as for a layer."""
        return super().output if self._graph_ is None or self._is_sequence_ else self._graph_.outputs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._graph_ is not None and not self._is_sequence_ and args:
            _require_alike(args[0])
            require_named(args[0], self._graph_.inputs, self.name)
        return super().__call__(*args, **kwargs)

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None, **kwargs: Any) -> Any:
        """The outputs for some inputs, with masks if some are told: its graph is run, or the subclass says how.

        Raises:
            NotImplementedError: there is neither.
        """
        if self._graph_ is None:
            raise NotImplementedError(f"Model {type(self).__name__} does not have a `call()` method implemented.")
        if not (self._is_sequence_ or placing.get()):
            warn_if_unlike(inputs, self._graph_.inputs)
        outputs = self._graph_.run(with_masks(inputs, mask), partial(_called_again, training))
        alone = isinstance(outputs, (list, tuple)) and len(outputs) == 1
        return outputs[0] if alone and not placing.get() else outputs

    def _check_(self, inputs: Any) -> None:
        super()._check_(inputs)
        if self._graph_ is None:
            return
        try:
            places, given = nest.flatten(self._graph_.inputs), arranged(inputs, self._graph_.inputs)
        except ValueError:  # which its `call` raises, as what went wrong there
            return
        for index, (each, place) in enumerate(zip(given, places, strict=True)):
            if each is None:
                raise ValueError(
                    f"The input {place.name!r} is not optional, but None was passed. Please provide a valid tensor."
                )
            if not self._is_sequence_:  # whose layers look for themselves
                require_fit(each, place, index, self.name)

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """A new model, made as that one was; `custom_objects` are classes of layers by their names.

        Raises:
            TypeError: a layer of a class that is not known; or arguments that the class does not take.
        """
        if "input_layers" not in config:
            return cls(**config)
        inputs, outputs = graph_from_config(config, custom_objects or {})
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


def _be_drawn(kind: type[Any]) -> None:
    """Make a model of one's own that tells a graph a functional one, which has `inputs` and `outputs`, as Keras does.

    No other model has these: they are names of the user's there.
    """
    from tapeviz.keras.models.functional import Functional  # which is a model

    if issubclass(kind, Functional):
        return
    for base in kind.__bases__:
        if issubclass(base, Model) and base is not Model:
            _be_drawn(base)
    kind.__bases__ = tuple(Functional if base is Model else base for base in kind.__bases__)


def _called_again(training: bool | None, layer: Any, /, *args: Any, **kwargs: Any) -> Any:
    """A call of a graph, on tensors; what the model is told of `training` counts more than what was said there."""
    if training is not None and isinstance(layer, Layer):
        kwargs["training"] = training
    return layer(*args, **kwargs)


def _require_alike(inputs: Any) -> None:
    """Refuse several inputs of which some are tensors, and some arrays or numbers."""
    kinds = {isinstance(each, (TensorLike, KerasTensor)) for each in nest.flatten(inputs) if each is not None}
    if len(kinds) > 1:
        raise ValueError(
            "In a nested call() argument, you cannot mix tensors and non-tensors. Received invalid mixed argument: "
            f"inputs={inputs}"
        )
