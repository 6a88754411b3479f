"""A tensor or variable -> its value, dtype and shape, as `tf.keras.backend` has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from tapeviz.engine.functions.exports import EXPORTS as tf


def get_value(x: Any) -> Any:
    """The value of a tensor or a variable as an array. Anything else is returned unchanged.

    >>> from tapeviz.keras import backend as K
    >>> K.get_value(K.constant([1.0]))
    array([1.], dtype=float32)
    """
    return x.numpy() if tf["is_tensor"](x) else x


def eval(x: Any) -> Any:
    """Another name of `get_value`.

    >>> from tapeviz.keras import backend as K
    >>> K.eval(K.constant([1.0]))
    array([1.], dtype=float32)
    """
    return get_value(x)


def batch_get_value(tensors: Iterable[Any]) -> list[Any]:
    """The values of several tensors or variables, as a list of arrays.

    >>> from tapeviz.keras import backend as K
    >>> K.batch_get_value([K.constant([1.0])])
    [array([1.], dtype=float32)]
    """
    return [each.numpy() for each in tensors]


def dtype(x: Any) -> str:
    """The name of the dtype.

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
    """The shape, as a tuple.

    >>> from tapeviz.keras import backend as K
    >>> K.int_shape(K.constant([[1, 2]]))
    (1, 2)
    """
    return tuple(x.shape)


def count_params(x: Any) -> int:
    """The number of elements.

    >>> from tapeviz.keras import backend as K
    >>> K.count_params(K.constant([[1, 2]]))
    2
    """
    return int(np.prod(x.shape.as_list()))


def gradients(loss: Any, variables: Any) -> NoReturn:
    """Not available: TensorFlow has it in graphs only. Use `tf.GradientTape`.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(
        "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead: compute the loss "
        "inside `with tf.GradientTape() as tape:`, then call `tape.gradient(loss, variables)`."
    )
