"""A layer -> one around it, as one that takes it to each step of a series."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras.call_signature import parameters
from tapeviz.tf.keras.layers.base.composite import CompositeLayer
from tapeviz.tf.keras.layers.base.layer import Layer


class Wrapper(CompositeLayer):
    """The base class of layers that contain another layer, `self.layer` (`tf.keras.layers.Wrapper`).

    Args:
        layer: the other layer.
        kwargs: the arguments of every layer.

    Raises:
        ValueError: `layer` is not a layer.

    >>> import tapeviz as tf
    >>> class Twice(tf.keras.layers.Wrapper):
    ...     def call(self, inputs):
    ...         return 2.0 * self.layer(inputs)
    >>> Twice(tf.keras.layers.ReLU())(tf.constant([-1.0, 2.0])).numpy().tolist()
    [0.0, 4.0]
    """

    _settings_: ClassVar[tuple[str, ...]] = (*Layer._settings_, "layer")
    _parts_ = ("layer",)

    def __init__(self, layer: Layer, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(
                f"Layer {layer} supplied to Wrapper isn't a supported layer type. Please ensure wrapped layer is a "
                "valid Keras layer."
            )
        super().__init__(**kwargs)
        self.layer = layer

    def build(self, input_shape: Any = None) -> None:
        if not self.layer.built:
            self.layer.build(input_shape)
            self.layer.built = True


class TimeDistributed(Wrapper):
    """Applies a layer to each step of a series of shape (batch, time, ...) (`tf.keras.layers.TimeDistributed`).

    Args:
        layer: the layer.
        kwargs: the arguments of every layer.

    Raises:
        ValueError: `layer` is not a layer; when called on fewer than three axes, or with a `mask` of another shape.

    >>> import tapeviz as tf
    >>> tf.keras.layers.TimeDistributed(tf.keras.layers.Flatten())(tf.zeros([2, 5, 3, 4])).shape
    TensorShape([2, 5, 12])
    """

    supports_masking = True

    def __init__(self, layer: Layer, **kwargs: Any) -> None:
        require_layer("TimeDistributed", layer)
        super().__init__(layer, **kwargs)

    def build(self, input_shape: Any) -> None:  # type: ignore[override]
        super().build(_of_a_step(input_shape))

    def compute_output_shape(self, input_shape: Any) -> Any:
        batch, *lengths = self.layer.compute_output_shape(_of_a_step(input_shape))
        return (batch, input_shape[1], *lengths)

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None) -> Any:
        taken = parameters(type(self.layer).call)
        told = {"training": training} if "training" in taken else {}
        steps = tf["unstack"](inputs, axis=1)
        if mask is not None:
            _require_for_each_step(mask, inputs)
        if mask is None or "mask" not in taken:
            outputs = [self.layer.call(each, **told) for each in steps]
        else:
            masks = tf["unstack"](mask, axis=1)
            outputs = [self.layer.call(each, mask=mask, **told) for each, mask in zip(steps, masks, strict=True)]
        return tf["stack"](outputs, axis=1)


def _require_for_each_step(mask: Any, inputs: Any) -> None:
    """Refuse a mask that does not say something of each step."""
    of_mask, of_inputs = tuple(mask.shape), tuple(inputs.shape)
    if len(of_mask) < 2:
        raise ValueError(
            "The `mask` passed to the `TimeDistributed` layer must be at least 2D (e.g., `(batch_size, timesteps)`), "
            f"but it has {len(of_mask)} dimension(s) with shape {of_mask}."
        )
    if of_mask[:2] != of_inputs[:2]:
        raise ValueError(
            f"The `mask` passed to the `TimeDistributed` layer has a shape {of_mask} that is incompatible with the "
            f"input shape {of_inputs}. The first two dimensions of the mask (batch size and timesteps) must match the "
            f"input's first two dimensions. Expected mask shape prefix: ({of_inputs[0]}, {of_inputs[1]})."
        )


def _of_a_step(shape: Any) -> tuple[Any, ...]:
    """The shape of what there is at one step of series of a shape.

    Raises:
        ValueError: it is not that of series.
    """
    if not isinstance(shape, (tuple, list)) or len(shape) < 3:
        raise ValueError(
            f"`TimeDistributed` Layer should be passed an `input_shape` with at least 3 dimensions, received: {shape}"
        )
    return (shape[0], *shape[2:])


def require_layer(wrapper: str, layer: Any) -> None:
    """Check that the argument of a wrapper is a layer.

    Raises:
        ValueError: it is not.
    """
    if not isinstance(layer, Layer):
        raise ValueError(f"Please initialize `{wrapper}` layer with a `keras.layers.Layer` instance. Received: {layer}")
