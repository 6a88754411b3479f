"""A call of a layer on placeholders -> placeholders for its outputs: their shapes are computed, or found by a run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.tf.keras.call_signature import masks_taken
from tapeviz.tf.keras.layers.base.call_errors import not_inferred, tell
from tapeviz.tf.keras.layers.base.output_specs import output_masks, output_specs
from tapeviz.tf.keras.layers.base.ownership import Owner
from tapeviz.tf.keras.masks import mask_of
from tapeviz.tf.keras.symbolic import KerasTensor, LayerCall, shape_of


class Placed(Owner):
    """The base of `Layer` that can be called on placeholders."""

    _placed_: LayerCall | None = None
    """Its first call on placeholders."""
    _placements_ = 0
    """The number of these calls."""
    _computes_shape_ = False
    """Whether `compute_output_shape` works without a call: for Keras' classes, and for those that define it."""
    _makes_masks_ = False
    """Whether its class defines `compute_mask`."""

    call: Callable[..., Any]
    compute_mask: Callable[..., Any]

    def _run_(self, args: Any, kwargs: Any) -> Any:
        raise NotImplementedError

    @property
    def input(self) -> Any:
        """The placeholder that it was called on.

        Raises:
            AttributeError: it was not called on a placeholder.
        """
        args = self._placement_("input").args
        return args[0] if len(args) == 1 else args

    @property
    def output(self) -> Any:
        """The placeholder that this call returned.

        Raises:
            AttributeError: it was not called on a placeholder.
        """
        return self._placement_("output").outputs

    def _placement_(self, asked_for: str) -> LayerCall:
        if self._placed_ is None:
            raise AttributeError(f"The layer {self.name} has no {asked_for}: it was never called.")
        return self._placed_

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the outputs for inputs of a shape.

        Raises:
            NotImplementedError: the class does not define it. A call on a `tf.keras.Input` shows the shape.
        """
        if not self._computes_shape_:
            raise NotImplementedError(
                f"Layer {type(self).__name__} does not have a `compute_output_shape` method implemented. Should "
                "implement `def compute_output_shape(self, input_shape)`."
            )
        return shape_of(output_specs(self._run_, (TensorSpec(input_shape, self._dtype_),), {}))

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        """Placeholders for the outputs of a call. A class may define it instead of `compute_output_shape`."""
        return _placeholders(self._specs_of_(args, kwargs))

    def _symbolic_(self, args: Any, kwargs: Any) -> Any:
        call = LayerCall(self, args, kwargs)
        says_how = type(self).compute_output_spec is not Placed.compute_output_spec
        try:
            found = self.compute_output_spec(*args, **kwargs) if says_how else self._specs_of_(args, kwargs)
        except Exception as error:
            tell(error, self, args)
            raise
        call.outputs = _placeholders(found, call)
        if self._makes_masks_ or any(mask_of(each) is not None for each in nest.flatten((args, kwargs))):
            self._place_masks_(call)
        self._placed_ = self._placed_ or call
        return call.outputs

    def _place_masks_(self, call: LayerCall) -> None:
        """Give the outputs of a call placeholders of their masks, and the call that of its one input."""
        alone = len(call.inputs) == 1 and call.args and call.args[0] is call.inputs[0]
        mask = mask_of(call.args[0]) if alone and "mask" in masks_taken(type(self).call) else None
        call.masks = [] if mask is None or mask.call is None else [mask]
        if not (found := output_masks(self._run_, call.args, call.kwargs)):
            return
        made: list[Any] = []
        with suppress(Exception):  # a class of the user's may compute them with functions of tensors only
            made = nest.flatten(self.compute_mask(call.args[0], nest.map_structure(mask_of, call.args[0])))
        for place, output in enumerate(nest.flatten(call.outputs)):
            if spec := found.get(place):
                known = made[place] if place < len(made) and isinstance(made[place], KerasTensor) else None
                output._keras_mask = KerasTensor(spec.shape, spec.dtype, name="mask") if known is None else known

    def _specs_of_(self, args: Any, kwargs: Any) -> Any:
        """The specs of its outputs: from the shapes that its class computes, else by a dry run."""
        if type(self).compute_output_shape is Placed.compute_output_shape:
            try:
                return output_specs(self._run_, args, kwargs)
            except Exception as error:
                if self._computes_shape_:
                    raise
                raise not_inferred(error, self) from error
        return self._specs_(self.compute_output_shape(shape_of(args[0])))

    def _specs_(self, shapes: Any) -> Any:
        """The spec of an output of a shape, or of several outputs in the structure of their shapes."""
        if not hasattr(shapes, "__iter__"):
            raise ValueError(
                f"Method `compute_output_shape()` of layer {type(self).__name__} is returning a type that cannot be "
                f"interpreted as a shape. It should return a shape tuple. Received: {shapes}"
            )
        if isinstance(shapes, dict):
            return {name: self._specs_(each) for name, each in shapes.items()}
        if any(nest.is_nested(each) for each in shapes):
            return type(shapes)(self._specs_(each) for each in shapes)
        for each in shapes:
            if each is not None and not hasattr(each, "__index__"):
                raise ValueError(
                    f"Cannot convert '{shapes}' to a shape. Found invalid dimension '{each}' of type '{type(each)}'. "
                    f"It is what `compute_output_shape()` of layer {self.name!r} ({type(self).__name__}) returns."
                )
        return TensorSpec(shapes, self._dtype_)


def _placeholders(specs: Any, call: LayerCall | None = None) -> Any:
    """Placeholders, made by a call, for a structure of specs; None for None."""
    return nest.map_structure(lambda each: None if each is None else KerasTensor(each.shape, each.dtype, call), specs)
