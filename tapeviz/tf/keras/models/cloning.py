"""A model -> a copy with new layers and weights (`tf.keras.models.clone_model`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tapeviz.engine import nest
from tapeviz.tf.keras.layers import Input, InputLayer, Layer
from tapeviz.tf.keras.layers.base.ownership import each_once
from tapeviz.tf.keras.models.functional import Functional
from tapeviz.tf.keras.models.model import Model
from tapeviz.tf.keras.models.sequential import Sequential
from tapeviz.tf.keras.symbolic import KerasTensor, Operation

M = TypeVar("M", bound=Model)


def clone_model(
    model: Any,
    input_tensors: Any = None,
    clone_function: Any = None,
    call_function: Any = None,
    recursive: bool = False,
    **kwargs: Any,
) -> Any:
    """A copy of a model with new layers and new weights.

    Args:
        model: the model to copy.
        input_tensors: placeholders to use as inputs, in the structure of the model's inputs; by default new ones.
        clone_function: takes a layer and returns the one to replace it; by default a new one with the same config.
        call_function: called as `call_function(layer, ...)` for each call of a layer.
        recursive: whether these functions are also used for the layers of models inside the model.

    Raises:
        TypeError: an argument `..._function` cannot be called.
        ValueError: an unknown argument, a `clone_function` that returns no layer, or placeholders that do not fit.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
    >>> clone = tf.keras.models.clone_model(model)
    >>> clone.set_weights(model.get_weights())
    >>> bool(tf.reduce_all(clone(tf.ones([1, 3])) == model(tf.ones([1, 3]))))
    True
    """
    if kwargs:
        raise ValueError(f"Unexpected keyword argument(s): {tuple(kwargs)}")
    for name, function in (("clone_function", clone_function), ("call_function", call_function)):
        if function is not None and not callable(function):
            raise TypeError(f"`{name}` must be a callable. Received: {name}={function}")

    def clone(layer: Any) -> Any:
        if isinstance(layer, Operation):
            return Operation(layer._kind_, **layer.get_config())
        if recursive and isinstance(layer, (Functional, Sequential)):
            return clone_model(layer, None, clone_function, call_function, True)
        made = (clone_function or _alike)(layer)
        if not isinstance(made, Layer):
            raise ValueError(f"`clone_function` must return a layer. For {layer!r} it gave {made!r}.")
        return made

    if isinstance(model, Sequential):
        if call_function is not None:
            raise ValueError("`call_function` argument is not supported with Sequential models.")
        return _sequence(model, input_tensors, clone)
    if isinstance(model, Functional):
        return _graph(model, input_tensors, clone, call_function or _called)
    if input_tensors is not None or call_function is not None:
        raise ValueError(
            "Arguments `input_tensors` and `call_function` are only supported for Sequential models or Functional "
            f"models. Received model of type {type(model).__name__!r}."
        )
    return _compiled_as(model, clone(model))


def _alike(layer: Any) -> Any:
    """A new layer with the config of another one; a model inside is cloned, as its layers may be of any class."""
    return (
        clone_model(layer)
        if isinstance(layer, (Functional, Sequential))
        else type(layer).from_config(layer.get_config())
    )


def _called(layer: Any, *args: Any, **kwargs: Any) -> Any:
    return layer(*args, **kwargs)


def _sequence(model: Sequential, start: Any, clone: Callable[[Any], Any]) -> Sequential:
    clones = {id(layer): clone(layer) for layer in each_once(model.layers)}
    layers = [clones[id(layer)] for layer in model.layers]
    if start is None and model._graph_ is not None:
        before = model._graph_.inputs.call.layer
        start = Input(batch_shape=before.batch_shape, dtype=before.dtype, name=before.name)
    starts = [] if start is None else nest.flatten(start)
    if len(starts) > 1 or not all(isinstance(each, (KerasTensor, InputLayer)) for each in starts):
        raise ValueError(f"`input_tensors` must be one placeholder, made by `Input`. Received: {start}")
    return _compiled_as(model, Sequential([*starts, *layers], name=model.name, trainable=model.trainable))


def _graph(model: Functional, starts: Any, clone: Callable[[Any], Any], call: Callable[..., Any]) -> Model:
    places = model.input
    if starts is None:
        starts = nest.map_structure(_like, places)
    try:
        nest.assert_same_structure(starts, places)
    except (TypeError, ValueError):
        raise ValueError(
            "`input_tensors` must have the same structure as model.input"
            f"\nReference structure: {places}\nReceived structure: {starts}"
        ) from None
    graph = model._graph_
    assert graph is not None
    clones = {layer: clone(layer) for layer in graph.layers if not isinstance(layer, InputLayer)}
    outputs = graph.follow(nest.flatten(starts), lambda layer, *args, **kwargs: call(clones[layer], *args, **kwargs))
    return _compiled_as(model, type(model)(starts, outputs, name=model.name, trainable=model.trainable))


def _compiled_as(model: Any, clone: M) -> M:
    """The clone, compiled like the model if that was compiled."""
    if model.compiled:
        clone.compile_from_config(model.get_compile_config())
    return clone


def _like(place: KerasTensor) -> KerasTensor:
    """A new placeholder like another one."""
    return Input(batch_shape=place.shape, dtype=place.dtype, name=place.name)
