"""Vectors along an axis -> the same, normalized to length 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras.floats import EPSILON


def normalize(x: Any, axis: int = -1, order: int = 2) -> Any:
    """Vectors along an axis, divided by their norms (`tf.keras.utils.normalize`).

    Vectors shorter than 1e-7 become shorter than 1. In an array, this is so for vectors of zeros only.

    Args:
        x: an array or a tensor.
        axis: the axis of the vectors. For an array, 0 is the last one, as in Keras.
        order: the order of the norm; 2 for the Euclidean one.

    Returns:
        An array for an array, else a tensor.

    Raises:
        ValueError: the order is not a positive integer, for a tensor.

    >>> normalize(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    if isinstance(x, np.ndarray):
        lengths = np.atleast_1d(np.linalg.norm(x, order, axis))
        lengths[lengths == 0] = 1
        return x / np.expand_dims(lengths, axis or -1)
    if not isinstance(order, int) or order < 1:
        raise ValueError(f"Argument `order` must be an int >= 1. Received: order={order}")
    x = tensor_of(x)
    x = x if x.ndim else tf["expand_dims"](x, 0)
    if order == 2:
        squares = tf["reduce_sum"](tf["square"](x), axis=axis, keepdims=True)
        return x * tf["minimum"](tf["math.rsqrt"](squares), 1 / EPSILON)
    return x / tf["maximum"](tf["norm"](x, ord=order, axis=axis, keepdims=True), EPSILON)
