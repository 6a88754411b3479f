"""A recurrent layer -> a layer that goes through series in both directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras.call_signature import parameters
from tapeviz.tf.keras.layers.base.composite import CompositeLayer
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.wrappers import require_layer

MERGED: dict[str | None, Callable[[Any, Any], Any]] = {
    "sum": lambda there, back: there + back,
    "mul": lambda there, back: there * back,
    "ave": lambda there, back: (there + back) / 2,
    "concat": lambda there, back: tf["concat"]([there, back], axis=-1),
    None: lambda there, back: (there, back),
}


class Bidirectional(CompositeLayer):
    """Applies a recurrent layer to series in both directions (`tf.keras.layers.Bidirectional`).

    Args:
        layer: a recurrent layer; two new layers with its config are used.
        merge_mode: how to combine the two outputs: "concat", "sum", "mul" or "ave"; None returns both.
        weights: ignored, as in Keras.
        backward_layer: the layer for the backward direction, if it is not to be like `layer`.

    Raises:
        ValueError: something is not a layer, `merge_mode` is unknown, or the two layers do not match.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.Bidirectional(tf.keras.layers.GRU(4, return_sequences=True))
    >>> layer(tf.zeros([2, 5, 3])).shape
    TensorShape([2, 5, 8])
    """

    _settings_ = (*Layer._settings_, "merge_mode", "layer", "backward_layer")
    _parts_ = ("layer", "backward_layer")
    forward_layer: Any
    """A recurrent layer of any class, with the methods of `RNN`; so is `backward_layer`."""
    backward_layer: Any

    def __init__(
        self,
        layer: Any,
        merge_mode: str | None = "concat",
        weights: Any = None,
        backward_layer: Any = None,
        **kwargs: Any,
    ) -> None:
        require_layer("Bidirectional", layer)
        if backward_layer is not None and not isinstance(backward_layer, Layer):
            raise ValueError(f"`backward_layer` need to be a `keras.layers.Layer` instance. Received: {backward_layer}")
        if merge_mode not in MERGED:
            raise ValueError(
                f"Invalid merge mode. Received: {merge_mode}. Merge mode should be one of "
                '{"sum", "mul", "ave", "concat", None}'
            )
        super().__init__(**kwargs)
        self.forward_layer = _like(layer, "forward_")
        self.backward_layer = backward_layer or _like(layer, "backward_", go_backwards=True)
        self._require_a_pair_()
        for each in (self.forward_layer, self.backward_layer):
            if hasattr(layer, "use_cudnn"):  # not part of the config
                each.use_cudnn = layer.use_cudnn
            if getattr(each, "zero_output_for_mask", None) is not None:
                each.zero_output_for_mask = each.return_sequences
        self.merge_mode = merge_mode
        self.stateful, self.return_sequences = layer.stateful, layer.return_sequences
        self.return_state, self.input_spec = layer.return_state, layer.input_spec

    def _require_a_pair_(self) -> None:
        there, back = self.forward_layer, self.backward_layer
        if there.go_backwards == back.go_backwards:
            raise ValueError(
                "Forward layer and backward layer should have different `go_backwards` value. Received: "
                f"forward_layer.go_backwards {there.go_backwards}, backward_layer.go_backwards={back.go_backwards}"
            )
        for name in ("stateful", "return_sequences", "return_state"):
            if getattr(there, name) != getattr(back, name):
                raise ValueError(f"Both layers of a Bidirectional need the same {name}: give it to both.")

    @property
    def layer(self) -> Any:
        """The layer that starts with the first step."""
        return self.forward_layer

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        for each in (self.forward_layer, self.backward_layer):
            if not each.built:
                each.build(sequences_shape)

    def compute_output_shape(self, sequences_shape: Any, initial_state_shape: Any = None) -> Any:
        found = self.forward_layer.compute_output_shape(sequences_shape)
        output, *states = found if self.return_state else (found,)
        if self.merge_mode == "concat":
            output = (*output[:-1], 2 * output[-1])
        outputs = (output,) if self.merge_mode else (output, output)
        shapes = (*outputs, *states, *states)
        return shapes[0] if len(shapes) == 1 else shapes

    def call(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: bool | None = None) -> Any:
        first: tuple[Any, Any] = (None, None)
        if initial_state is not None:
            half = len(initial_state) // 2
            first = initial_state[:half], initial_state[half:]
        there, back = (
            each(sequences, initial_state=states, **({"mask": mask} if "mask" in parameters(type(each).call) else {}))
            for each, states in zip((self.forward_layer, self.backward_layer), first, strict=True)
        )
        ends: tuple[Any, ...] = ()
        if self.return_state:
            (there, *after), (back, *after_back) = there, back
            ends = (*after, *after_back)
        if self.return_sequences:
            back = tf["reverse"](back, axis=[1])
        output = MERGED[self.merge_mode](there, back)
        if not ends:
            return output
        return (*output, *ends) if self.merge_mode is None else (output, *ends)

    def compute_mask(self, _: Any, mask: Any) -> Any:
        first = nest.flatten(mask)[0] if self.return_sequences else None
        return first if self.merge_mode else (first, first)

    @property
    def states(self) -> tuple[Any, ...] | None:
        """The variables with the states of both layers; None before the first call, or if they are not stateful."""
        there, back = self.forward_layer.states, self.backward_layer.states
        return (*there, *back) if there and back else None

    def reset_state(self) -> None:
        """Set the states of both layers to zeros.

        Raises:
            AttributeError: the layers are not stateful.
        """
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        self.forward_layer.reset_state()
        self.backward_layer.reset_state()

    def reset_states(self) -> None:
        """The former name of `reset_state`."""
        self.reset_state()


def _like(layer: Layer, way: str, **others: Any) -> Any:
    """A new layer with the config of another one, named after it, and built if that one is.

    Raises:
        TypeError: `from_config` fails.
    """
    config = {**layer.get_config(), **others, "name": f"{way}{layer.name.removeprefix(way)}"}
    try:
        made = type(layer).from_config(config)
    except Exception as error:
        raise TypeError(
            f"{type(layer)} could not be deserialized properly: from_config makes no layer of config={config}. {error}"
        ) from error
    if layer.built and not made.built:
        made.build_from_config(layer.get_build_config() or {})
    return made
