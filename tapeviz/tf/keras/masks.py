"""Masks, which tell which steps of series count: those of a layer's inputs, and those of its outputs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.tf.keras.call_signature import masks_taken, parameters


def mask_of(value: Any) -> Any:
    """The mask of a tensor, or None."""
    return getattr(value, "_keras_mask", None)


def masks_of(values: Any) -> Any:
    """The masks of the tensors in a structure."""
    return mask_of(values) if isinstance(values, TensorLike) else nest.map_structure(mask_of, values)


def both(one: Any, other: Any) -> Any:
    """The conjunction of two masks. Either may be None."""
    if one is None or other is None:
        return one if other is None else other
    return EXPORTS["logical_and"](one, other)


def with_mask(value: Any, mask: Any) -> Any:
    """Set the mask of a tensor, if there is one, and return the tensor."""
    if mask is not None and isinstance(value, Tensor):
        value._keras_mask = mask
    return value


def with_masks(inputs: Any, mask: Any) -> Any:
    """Set the masks of inputs, or none for None, and return the inputs."""
    if mask is None:
        return inputs
    for each, its in zip(nest.flatten(inputs), nest.flatten(mask), strict=False):
        with_mask(each, its)
    return inputs


def without_mask(value: Any) -> None:
    """Remove the mask of a tensor, also for other users of the tensor."""
    if isinstance(value, Tensor):
        value._keras_mask = None


def with_masks_as_arguments(call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The keyword arguments of a layer's `call`, with the masks that it accepts and the caller did not pass.

    If only one argument has tensors, its mask is `mask`. If several have, the mask of an argument `x` is `x_mask`.
    """
    wanted = masks_taken(call)
    if not wanted:
        return kwargs
    given = dict(zip(parameters(call), args, strict=False)) | kwargs
    series = [name for name, value in given.items() if any(map(_is_tensor, nest.flatten(value)))]
    found = {"mask" if len(series) == 1 else f"{name}_mask": masks_of(given[name]) for name in series}
    return kwargs | {name: mask for name, mask in found.items() if name in wanted and given.get(name) is None}


def _is_tensor(value: Any) -> bool:
    return isinstance(value, TensorLike)


def pass_on_masks(layer: Any, inputs: Any, mask: Any, outputs: Any) -> None:
    """Set the masks of a layer's outputs from those of its inputs. Warn if the layer does not support masks."""
    masked = any(each is not None for each in nest.flatten(mask))
    if not layer.supports_masking:
        if masked:
            warnings.warn(
                f"Layer '{layer.name}' (of type {type(layer).__name__}) was passed an input with a mask attached to "
                "it. However, this layer does not support masking and will therefore destroy the mask information. "
                "Downstream layers will not see the mask.",
                stacklevel=2,
            )
        return
    places = nest.flatten(outputs)
    if all(mask_of(each) is not None for each in places):
        return
    for each, found in zip(places, nest.flatten(layer.compute_mask(inputs, mask)), strict=False):
        if mask_of(each) is None:
            with_mask(each, found)
