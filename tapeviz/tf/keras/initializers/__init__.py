"""`tf.keras.initializers`: a shape and a dtype -> the first values of a weight.

`base` is what every one is; `constants`, those without chance; `random`, those with; `scaling`, those that go by the
numbers of inputs and outputs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.functions.integers import shape_of
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.tf.keras.initializers.base import Initializer
from tapeviz.tf.keras.initializers.constants import Constant, Identity, Ones, Zeros
from tapeviz.tf.keras.initializers.random import Orthogonal, RandomNormal, RandomUniform, TruncatedNormal
from tapeviz.tf.keras.initializers.scaling import (
    GlorotNormal,
    GlorotUniform,
    HeNormal,
    HeUniform,
    LecunNormal,
    LecunUniform,
    VarianceScaling,
)
from tapeviz.tf.keras.registry import Registry, by_names
from tapeviz.tf.keras.serialization import serialized
from tapeviz.tf.names import missing

_CLASSES: tuple[type[Initializer], ...] = (
    Constant, Zeros, Ones, RandomUniform, RandomNormal, TruncatedNormal, VarianceScaling, Orthogonal, Identity,
    GlorotUniform, GlorotNormal, HeUniform, HeNormal, LecunUniform, LecunNormal,
)  # fmt: skip
_NAMES = by_names(_CLASSES) | {"OrthogonalInitializer": Orthogonal, "IdentityInitializer": Identity}
globals().update(_NAMES)
_SHORT = {"uniform": RandomUniform, "normal": RandomNormal, "zero": Zeros, "one": Ones}
_known = Registry("initializer", _NAMES | _SHORT | by_names([Initializer]))


def get(identifier: Any) -> Any:
    """An initializer.

    Args:
        identifier: its name, its class, its config, or the initializer itself. An array is a value for all weights of
            its shape. None stays None.

    Raises:
        ValueError: an unknown name.

    >>> get("zeros")([1])
    <tf.Tensor: shape=(1,), dtype=float32, numpy=array([0.], dtype=float32)>
    """
    given = isinstance(identifier, (TensorLike, np.generic, np.ndarray))
    return _copying(identifier) if given else _known.get(identifier)


def _copying(values: Any) -> Callable[..., Tensor]:
    def initialize_fn(shape: Any, dtype: Any = None) -> Tensor:
        if (wanted := shape_of(shape)) != (mine := tuple(values.shape)):
            raise ValueError(f"Expected `shape` to be {mine} for direct tensor as initializer. Received shape={wanted}")
        return Constant(values)(wanted, dtype)

    return initialize_fn


def serialize(initializer: Any) -> Any:
    """A description of an initializer as plain values, from which `deserialize` can make another one.

    >>> serialize(Zeros())["class_name"]
    'Zeros'
    """
    return serialized(initializer)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """An initializer from the description that `serialize` returns.

    Args:
        config: the description, or a name. As in Keras, an unknown name is returned unchanged.
        custom_objects: the user's classes by their names.

    Raises:
        ValueError: the description has no name.
        TypeError: the class is unknown, or does not accept the config.

    >>> type(deserialize(serialize(Zeros()))).__name__
    'Zeros'
    """
    return _known.deserialize(config, custom_objects)


__all__ = [*sorted(_NAMES), "Initializer", "deserialize", "get", "serialize"]
__getattr__ = missing(__name__)
