"""Clipping under TensorFlow's names: compositions of ops, as TensorFlow's are."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.functions.arguments import number_of, require_tensor, tensor_of, together
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import axis_of
from tapeviz.engine.functions.math.norms import global_norm, values_in
from tapeviz.engine.ops import array, math, reduction


@export("clip_by_value")
def clip_by_value(t: object, clip_value_min: object, clip_value_max: object, name: str | None = None) -> Any:
    """The elements of a tensor, limited to a range. An element on a bound keeps its gradient.

    Args:
        t: a tensor. `IndexedSlices` stay `IndexedSlices`.
        clip_value_min: the lower bound, a scalar or a tensor that broadcasts to `t`.
        clip_value_max: the upper bound.

    Raises:
        ValueError: a bound has a larger shape than `t`.

    >>> import tapeviz as tf
    >>> tf.clip_by_value([-2.0, 0.5, 2.0], -1.0, 1.0).numpy().tolist()
    [-1.0, 0.5, 1.0]
    """
    if isinstance(t, IndexedSlices):
        return t._with(clip_by_value(t.values, clip_value_min, clip_value_max))
    x, high = together("minimum", tensor_of(t), clip_value_max)
    low = together("maximum", x, clip_value_min)[1]
    clipped = math.maximum(math.minimum(x, high), low)
    if clipped.shape != x.shape:
        said = f"Shapes {x.shape} and {clipped.shape} are incompatible"
        raise ValueError(f"{said}. In clip_by_value a bound stretches the tensor.")
    return clipped


@export("clip_by_norm")
def clip_by_norm(t: object, clip_norm: Any, axes: object = None, name: str | None = None) -> Any:
    """A tensor, scaled down so that its Euclidean norm does not exceed a limit.

    Args:
        t: a tensor. `IndexedSlices` stay `IndexedSlices`.
        clip_norm: the limit.
        axes: the axes over which the norm is taken; all by default.

    Raises:
        ValueError: the limit has a larger shape than `t`.

    >>> import tapeviz as tf
    >>> tf.clip_by_norm([3.0, 4.0], 2.5).numpy().tolist()
    [1.5, 2.0]
    """
    if isinstance(t, IndexedSlices):
        return t._with(clip_by_norm(t.values, clip_norm, axes))
    limit = None if np.isscalar(clip_norm) else math.maximum(*together("maximum", clip_norm, 0))
    x = tensor_of(t)
    if limit is not None:
        limit = limit if limit._dtype is x._dtype else array.cast(limit, dtype=x.dtype.name, source=limit.dtype.name)
    else:
        limit = 0 if clip_norm < 0 else clip_norm
    for op in ("mul", "reduce_sum", "clip_by_norm"):  # the squares, their sum, its root
        number_of(x, op)
    scaled = x * limit
    if scaled.shape != x.shape:
        raise ValueError(f"Shapes {x.shape} and {scaled.shape} are incompatible. In clip_by_norm.")
    squares = reduction.reduce_sum(x * x, axis=axis_of(axes, x), keepdims=True)
    positive = math.greater(squares, 0)
    length = math.where(positive, math.sqrt(math.where(positive, squares, math.ones_like(squares))), squares)
    return array.identity(scaled / math.maximum(length, limit))


@export("clip_by_global_norm")
def clip_by_global_norm(
    t_list: Any, clip_norm: object, use_norm: object = None, name: str | None = None
) -> tuple[list[Any], Any]:
    """Several tensors, scaled down by one factor so that their norm as a single vector does not exceed a limit.

    Args:
        t_list: a list of tensors, `IndexedSlices` and None. None stays None.
        clip_norm: the limit.
        use_norm: the norm, if it has been computed already.

    Returns:
        The scaled tensors, and the norm before. If the norm is not finite, the tensors are NaN.

    Raises:
        TypeError: `t_list` is not a list or tuple.
        AttributeError: `use_norm` is not a tensor.

    >>> import tapeviz as tf
    >>> clipped, norm = tf.clip_by_global_norm([tf.constant(3.0), tf.constant(4.0)], 2.5)
    >>> [float(each) for each in clipped], float(norm)
    ([1.5, 2.0], 5.0)
    """
    parts = values_in(t_list)
    if use_norm is not None:
        require_tensor("clip_by_global_norm", "dtype", use_norm)
    length = global_norm(t_list) if use_norm is None else tensor_of(use_norm)
    scale = clip_norm * math.minimum(1.0 / length, math.ones_like(length) / clip_norm) + (length - length)
    clipped = [None if each is None else array.identity(tensor_of(each) * scale) for each in parts]
    return [
        each._with(part) if isinstance(each, IndexedSlices) else part
        for each, part in zip(t_list, clipped, strict=True)
    ], length
