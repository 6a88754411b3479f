"""A tensor or variable -> its value, dtype and shape, as `tf.keras.backend` has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from tapeviz.engine.api import EXPORTS as tf


def get_value(x: Any) -> Any:
    """The array of a tensor or variable; anything else as it is.

    >>> from tapeviz.keras import backend as K
    >>> K.get_value(K.constant([1.0]))
    array([1.], dtype=float32)
    """
    return x.numpy() if tf["is_tensor"](x) else x


def eval(x: Any) -> Any:
    """The same.

    >>> from tapeviz.keras import backend as K
    >>> K.eval(K.constant([1.0]))
    array([1.], dtype=float32)
    """
    return get_value(x)


def batch_get_value(tensors: Iterable[Any]) -> list[Any]:
    """The arrays of tensors or variables.

    >>> from tapeviz.keras import backend as K
    >>> K.batch_get_value([K.constant([1.0])])
    [array([1.], dtype=float32)]
    """
    return [each.numpy() for each in tensors]


def dtype(x: Any) -> str:
    """The dtype by its name.

    >>> from tapeviz.keras import backend as K
    >>> K.dtype(K.constant(1))
    'float32'
    """
    return str(x.dtype.base_dtype.name)


def ndim(x: Any) -> int:
    """The number of axes.

    >>> from tapeviz.keras import backend as K
    >>> K.ndim(K.constant([[1, 2]]))
    2
    """
    rank: int = x.shape.rank
    return rank


def int_shape(x: Any) -> tuple[int, ...]:
    """The lengths of the axes.

    >>> from tapeviz.keras import backend as K
    >>> K.int_shape(K.constant([[1, 2]]))
    (1, 2)
    """
    return tuple(x.shape)


def count_params(x: Any) -> int:
    """How many numbers there are.

    >>> from tapeviz.keras import backend as K
    >>> K.count_params(K.constant([[1, 2]]))
    2
    """
    return int(np.prod(x.shape.as_list()))


def gradients(loss: Any, variables: Any) -> NoReturn:
    """What TensorFlow does not do while it runs op by op.

    Raises:
        RuntimeError: always; it says what to use in its place.
    """
    raise RuntimeError(
        "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead: compute the loss "
        "inside `with tf.GradientTape() as tape:`, then call `tape.gradient(loss, variables)`."
    )
