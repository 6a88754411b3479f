"""`tf.keras.activations`: the functions at the end of a layer, by themselves or by their names.

- functions    `functions`; `piecewise`, those with another formula for each range of x; `probabilities`, what a softmax
               or sigmoid returns
- names        `get`, `serialize` and `deserialize`, here
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.tf.keras.activations.functions import (
    elu,
    exponential,
    gelu,
    leaky_relu,
    linear,
    log_softmax,
    mish,
    relu,
    relu6,
    selu,
    sigmoid,
    silu,
    softmax,
    softplus,
    softsign,
    swish,
    tanh,
)
from tapeviz.tf.keras.activations.piecewise import (
    celu,
    glu,
    hard_shrink,
    hard_sigmoid,
    hard_silu,
    hard_swish,
    hard_tanh,
    log_sigmoid,
    soft_shrink,
    sparse_plus,
    sparse_sigmoid,
    sparsemax,
    squareplus,
    tanh_shrink,
    threshold,
)
from tapeviz.tf.keras.registry import Registry
from tapeviz.tf.keras.serialization import deserialized, serialized
from tapeviz.tf.names import missing

__all__ = [
    "celu", "deserialize", "elu", "exponential", "gelu", "get", "glu", "hard_shrink", "hard_sigmoid", "hard_silu",
    "hard_swish", "hard_tanh", "leaky_relu", "linear", "log_sigmoid", "log_softmax", "mish", "relu", "relu6", "selu",
    "serialize", "sigmoid", "silu", "soft_shrink", "softmax", "softplus", "softsign", "sparse_plus", "sparse_sigmoid",
    "sparsemax", "squareplus", "swish", "tanh", "tanh_shrink", "threshold",
]  # fmt: skip

_BY_NAME = {name: globals()[name] for name in __all__ if name not in ("deserialize", "get", "serialize")}
_known = Registry("activation function", _BY_NAME)


def get(identifier: Any) -> Callable[..., Any]:
    """An activation function.

    Args:
        identifier: its name, its config, or the function itself. None stands for `linear`.

    Raises:
        ValueError: an unknown name.
        TypeError: a config of an unknown class or function.

    >>> get("relu") is relu
    True
    """
    found = deserialized(identifier) if isinstance(identifier, dict) else identifier
    return linear if found is None else _known.found(found)


def serialize(activation: Any) -> Any:
    """The name of an activation, or a description of a user's function or of a layer, for `deserialize`.

    Raises:
        ValueError: the activation is not a function.
        TypeError: it is an object without a config.

    >>> serialize(relu)
    'relu'
    """
    told = serialized(activation)
    if not isinstance(told, dict) or "config" not in told:
        raise ValueError(
            f"Unknown activation function '{activation}' cannot be serialized due to invalid function name. In "
            "activations.serialize: give the function itself, as activations.get finds it."
        )
    name = getattr(activation, "__name__", None)
    return name if name in _known.by_name else told


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """An activation from what `serialize` returns.

    Args:
        config: the name or the description. As in Keras, an unknown name is returned unchanged.
        custom_objects: the user's functions and classes by their names.

    Raises:
        ValueError: the description has no name.
        TypeError: the class is unknown, or does not accept the config.

    >>> deserialize("relu") is relu
    True
    """
    return _known.deserialize(config, custom_objects)


__getattr__ = missing(__name__)
