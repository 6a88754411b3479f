"""Layers -> a model: a subclass with `call`, or the graph between placeholders (`tf.keras.Model`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tapeviz.engine import nest
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.tf.keras.layers import Layer
from tapeviz.tf.keras.models.serialization import graph_from_config
from tapeviz.tf.keras.models.submodels import with_own_inputs
from tapeviz.tf.keras.models.summary import table
from tapeviz.tf.keras.models.training import Trainer
from tapeviz.tf.keras.symbolic import KerasTensor, LayerGraph, require_placeholders, tells_graph
from tapeviz.tf.keras.symbolic.inputs import arranged, require_fit, require_named


class Model(Trainer):
    """A layer that can be trained (`tf.keras.Model`): subclass it with `call(inputs)`, or pass inputs and outputs.

    Args:
        inputs: a placeholder made by `tf.keras.Input`, or a structure of them.
        outputs: the outputs of layers called on them.
        name: the model's name; by default, the name of the class in snake case.

    Raises:
        ValueError: when called: an input does not have the shape of its placeholder.

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
    _functional_: ClassVar[type[Model]]
    """The subclass of models between placeholders, which registers itself here."""
    _graph_: LayerGraph | None = None
    _is_sequence_ = False
    """Whether it is a `Sequential`, whose layers are called in order rather than through the graph."""
    _computes_shape_ = False
    _tells_layers_ = False
    """Whether its config contains its layers, so that `from_config` may need their classes."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Model:
        return super().__new__(Model._functional_ if cls is Model and tells_graph(args, kwargs) else cls)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if tells_graph(args, kwargs):
            _derive_from_functional(type(self))
            self._init_graph_(*args, **kwargs)
        else:
            super().__init__(*args, **kwargs)

    def _init_graph_(
        self, inputs: Any, outputs: Any, name: str | None = None, trainable: bool = True, **ignored: Any
    ) -> None:
        """Initialize the model as the graph between placeholders."""
        require_placeholders(inputs=inputs, outputs=outputs)
        super().__init__(name=name, trainable=trainable)  # first: it uses up a name even if the graph raises an error
        self._graph_ = LayerGraph(*with_own_inputs(inputs, outputs))
        self.built = True
        self.autocast = False
        self._made_with_ = None
        for layer in self.layers:
            self._held_.take(layer)

    def _beside_config_(self) -> dict[str, Any]:
        """The entries of its serialized form besides the config: those of a layer, and an empty `compile_config`."""
        return super()._beside_config_() | {"compile_config": {}}

    def build_from_config(self, config: Mapping[str, Any]) -> None:
        """Build it from a `get_build_config`. A model without its own `build` is built at its first call instead."""
        if type(self).build is not Layer.build:
            super().build_from_config(config)

    @property
    def layers(self) -> list[Any]:
        """Its layers; for a graph, in order from the inputs to the outputs."""
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
        """Its placeholders in the structure in which they were given; without a graph, what it was called on."""
        return super().input if self._graph_ is None or self._is_sequence_ else self._graph_.inputs

    @property
    def output(self) -> Any:
        """Its outputs in the structure in which they were given; without a graph, those of that call."""
        return super().output if self._graph_ is None or self._is_sequence_ else self._graph_.outputs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._graph_ is not None and not self._is_sequence_ and args:
            _require_alike(args[0])
            require_named(args[0], self._graph_.inputs, self.name)
        return super().__call__(*args, **kwargs)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Subclasses compute their outputs here.

        Raises:
            NotImplementedError: this one does not.
        """
        raise NotImplementedError(f"Model {type(self).__name__} has no `call` method: def call(self, inputs).")

    def _check_(self, inputs: Any) -> None:
        super()._check_(inputs)
        if self._graph_ is None:
            return
        try:
            places, given = nest.flatten(self._graph_.inputs), arranged(inputs, self._graph_.inputs)
        except ValueError:  # `call` raises it again, so that it is reported as an error of `call`
            return
        for index, (each, place) in enumerate(zip(given, places, strict=True)):
            if each is None:
                raise ValueError(
                    f"The input {place.name!r} is not optional, but None was passed. Please provide a valid tensor."
                )
            if not self._is_sequence_:  # there the layers check their inputs
                require_fit(each, place, index, self.name)

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """A new model from a config; `custom_objects` are classes of layers by name.

        Raises:
            TypeError: the class of a layer is unknown, or the config has arguments that the model does not take.
        """
        if "input_layers" not in config:
            return cls(**config)
        inputs, outputs = graph_from_config(config, custom_objects or {})
        return cls(inputs, outputs, name=config["name"], trainable=config["trainable"])

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """A layer by its name or its index.

        Raises:
            ValueError: there is no such layer, or not exactly one of the arguments was given.
        """
        if index is not None and name is not None:
            raise ValueError(f"Provide only a layer name or a layer index. Received: index={index}, name={name}.")
        if index is not None:
            if index >= len(self.layers):
                raise ValueError(f"There is no layer at index {index}: the model has {len(self.layers)}.")
            return self.layers[index]
        if name is None:
            raise ValueError("get_layer needs the name or the index of a layer: get_layer(index=0).")
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
        """Print a table of the layers with their output shapes and numbers of parameters.

        Args:
            line_length: the width of the table.
            positions: where the columns end, as fractions of a line.
            print_fn: called with the text, instead of printing it.
            expand_nested: whether to show the layers of models inside the model.
            show_trainable: whether to add a column that says which layers are trainable.
            layer_range: the names, or patterns, of the first and last layer to show.

        Raises:
            ValueError: a column is too narrow, or the range is not a pair of names of layers.
        """
        text = table(self, line_length, positions, expand_nested, show_trainable, layer_range)
        if print_fn is None:
            print(text)
        else:
            print_fn(text + "\n")


def _derive_from_functional(kind: type[Any]) -> None:
    """Replace `Model` by `Functional` among the bases of a subclass that is given inputs and outputs, as Keras does.

    So it gets `inputs` and `outputs`, names that other subclasses may use for their own attributes.
    """
    if issubclass(kind, Model._functional_):
        return
    for base in kind.__bases__:
        if issubclass(base, Model) and base is not Model:
            _derive_from_functional(base)
    kind.__bases__ = tuple(Model._functional_ if base is Model else base for base in kind.__bases__)


def _require_alike(inputs: Any) -> None:
    """Raise ValueError if some of several inputs are tensors, and others arrays or numbers."""
    kinds = {isinstance(each, (TensorLike, KerasTensor)) for each in nest.flatten(inputs) if each is not None}
    if len(kinds) > 1:
        raise ValueError(
            "In a nested call() argument, you cannot mix tensors and non-tensors. Received invalid mixed argument: "
            f"inputs={inputs}"
        )
