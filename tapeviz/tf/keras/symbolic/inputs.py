"""Inputs of a model -> tensors in the order, and of the ranks and dtypes, of its placeholders.

Inputs in a dict are found by their names, and others in it are ignored. A last axis of length 1 may be missing or
added, as of images without channels, or of numbers in a vector.
"""

from __future__ import annotations

import warnings
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.tf.keras.masks import mask_of, with_mask
from tapeviz.tf.keras.symbolic.placeholders import KerasTensor, Lengths, shape_of


def arranged(given: Any, places: Any) -> list[Any]:
    """The inputs of a model as a list, in the order of its placeholders.

    Args:
        given: the inputs. The keys of a dict are those of the dict of placeholders, or the names of the placeholders.
        places: the placeholders.

    Raises:
        ValueError: a name is missing; or the inputs have no names, and the placeholders are in a dict that is not
            sorted.

    >>> import tapeviz as tf
    >>> places = [tf.keras.Input((1,), name="b"), tf.keras.Input((1,), name="a")]
    >>> arranged({"a": 1, "b": 2, "more": 3}, places)
    [2, 1]
    """
    by_name = isinstance(places, dict)
    if isinstance(given, dict):
        names = sorted(places) if by_name else [place.name for place in nest.flatten(places)]
        if given.keys() >= {*names}:
            return [leaf for name in names for leaf in nest.flatten(given[name])]
    elif not by_name or list(places) == sorted(places):
        return nest.flatten(given)
    raise ValueError(_unlike(given, places))


def warn_if_unlike(given: Any, places: Any) -> None:
    """Warn if inputs have another structure than the placeholders. They are accepted nevertheless.

    A list and a tuple count as the same, and so do a tensor and a list of it.
    """
    if isinstance(given, dict) and not isinstance(places, dict):
        given = [given[place.name] for place in nest.flatten(places) if place.name in given]
    lone = not nest.is_nested(given) and isinstance(places, (list, tuple))
    if not lone and _form(given) != _form(places):
        warnings.warn(_unlike(given, places), stacklevel=2)


def _unlike(given: Any, places: Any) -> str:
    """The sentence about inputs in another structure than the placeholders."""
    found = nest.map_structure(lambda each: "None" if each is None else f"Tensor(shape={shape_of(each)})", given)
    return (
        "The structure of `inputs` doesn't match the expected structure.\n"
        f"Expected: {nest.map_structure(lambda place: place.name, places)}\nReceived: inputs={found}"
    )


def _form(value: Any) -> Any:
    """A structure without its leaves, with tuples in place of lists."""
    if isinstance(value, dict):
        return {name: _form(each) for name, each in value.items()}
    return tuple(map(_form, value)) if isinstance(value, (list, tuple)) else None


def require_named(given: Any, places: Any, model: str) -> None:
    """Check that there is an array for each input of a model; in a dict, by the names of the input layers.

    Raises:
        ValueError: a name is missing, there is another number of inputs, or one is not an array.
    """
    flat = nest.flatten(places)
    names = sorted(places) if isinstance(places, dict) else [each.call.layer.name for each in flat if each.call]
    if len(names) != len(flat):
        return
    if isinstance(given, dict):
        for name in names:
            if name not in given:
                raise ValueError(
                    f'Missing data for input "{name}". You passed a data dictionary with keys {list(given)}. '
                    f"Expected the following keys: {names}"
                )
        given = [given[name] for name in names]
    values = nest.flatten(given)
    if len(values) != len(flat):
        told = ", ".join(f"{name!r}: ..." for name in names)
        raise ValueError(
            f'Layer "{model}" expects {len(flat)} named input(s) with keys {names}, but it received {len(values)} '
            f"input tensors. Pass inputs as a dict, e.g. `layer({{{told}}})`."
        )
    for each in values:
        if each is not None and not hasattr(each, "shape"):
            raise ValueError(
                f"Inputs to a layer should be tensors. Got {str(each)!r} (of type {type(each)}) as input for layer "
                f"{model!r}."
            )


def require_fit(value: Any, place: KerasTensor, index: int, model: str) -> None:
    """Check the shape of an input of a model. The batch may have any length.

    Args:
        value: the input.
        place: its placeholder.
        index: its index, for the error.
        model: the name of the model, for the error.

    Raises:
        ValueError: a length is not that of the placeholder.
    """
    wanted = (None, *place.shape[1:])
    found = _without_last_one(tuple(value.shape))
    pairs = zip(found, _without_last_one(wanted), strict=False)  # `entered` raises the error for another rank
    if any(None not in pair and pair[0] != pair[1] for pair in pairs) and place.call is not None:
        raise ValueError(
            f"Input {index} with name {place.call.layer.name!r} of layer {model!r} is incompatible with the layer: "
            f"expected shape={wanted}, found shape={found}"
        )


def entered(value: Any, place: KerasTensor) -> Any:
    """An input, converted to the dtype and the rank of its placeholder, with its mask.

    Args:
        value: the input.
        place: its placeholder.

    Raises:
        ValueError: the ranks differ by more than a last axis of length 1.

    >>> import tapeviz as tf
    >>> entered(tf.constant([1, 2]), tf.keras.Input((1,))).numpy().tolist()
    [[1.0], [2.0]]
    """
    shape, mask = tuple(value.shape), mask_of(value)
    if len(shape) == place.ndim + 1 and shape[-1] == 1:
        value = EXPORTS["squeeze"](value, axis=-1)
    elif len(shape) == place.ndim - 1 and place.shape[-1] == 1:
        value = EXPORTS["expand_dims"](value, axis=-1)
    elif len(shape) != place.ndim:
        raise ValueError(
            f"The input {place.name!r} takes values of shape {place.shape}, not of shape {shape_of(value)}. The first "
            "axis goes through the examples: x[None] is a batch of one."
        )
    return with_mask(EXPORTS["cast"](value, place.dtype), mask)


def _without_last_one(shape: Lengths) -> Lengths:
    return shape[:-1] if shape and shape[-1] == 1 else shape
