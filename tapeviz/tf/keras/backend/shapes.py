"""Tensors -> the same numbers in another shape or order, or several times, as `tf.keras.backend` has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.engine.functions.exports import EXPORTS as tf


def flatten(x: Any) -> Any:
    """The elements of a tensor as a vector.

    >>> flatten([[1, 2], [3, 4]]).shape
    TensorShape([4])
    """
    return tf["reshape"](x, [-1])


def batch_flatten(x: Any) -> Any:
    """The elements of each example as a vector.

    >>> import tapeviz as tf
    >>> batch_flatten(tf.ones([2, 3, 4])).shape
    TensorShape([2, 12])
    """
    return tf["reshape"](x, [-1, tf["reduce_prod"](tf["shape"](x)[1:])])


def concatenate(tensors: Sequence[Any], axis: int = -1) -> Any:
    """Tensors joined along an axis, the last one by default.

    >>> import tapeviz as tf
    >>> concatenate([tf.ones([2, 1]), tf.zeros([2, 2])]).shape
    TensorShape([2, 3])
    """
    if axis < 0:
        axis %= tensors[0].shape.rank or 1
    return tf["concat"](tensors, axis)


def squeeze(x: Any, axis: int) -> Any:
    """A tensor without an axis of length 1.

    >>> squeeze([[1, 2]], 0).shape
    TensorShape([2])
    """
    return tf["squeeze"](x, [axis])


def reverse(x: Any, axes: int | Sequence[int]) -> Any:
    """A tensor with the elements along an axis, or several, in reverse order.

    >>> reverse([1, 2], 0).numpy().tolist()
    [2, 1]
    """
    return tf["reverse"](x, [axes] if isinstance(axes, int) else axes)


def tile(x: Any, n: int | Sequence[int]) -> Any:
    """Copies of a tensor side by side; `n` is the number of copies along each axis.

    >>> tile([1, 2], 2).numpy().tolist()
    [1, 2, 1, 2]
    """
    return tf["tile"](x, [n] if isinstance(n, int) else n)


def repeat(x: Any, n: int) -> Any:
    """Each row of a matrix n times, along a new second axis.

    Raises:
        ValueError: `x` is not a matrix.

    >>> import tapeviz as tf
    >>> repeat(tf.ones([2, 3]), 4).shape
    TensorShape([2, 4, 3])
    """
    if x.shape.rank != 2:
        raise ValueError(f"Expected input `x` to have rank 2. Received: rank(x)={x.shape.rank}")
    return tf["tile"](tf["expand_dims"](x, 1), [1, n, 1])


def repeat_elements(x: Any, rep: int, axis: int) -> Any:
    """A tensor in which each slice along an axis is repeated `rep` times.

    >>> import tapeviz as tf
    >>> repeat_elements(tf.constant([1, 2]), 2, 0).numpy().tolist()
    [1, 1, 2, 2]
    """
    return tf["repeat"](x, rep, axis)
