"""Tensors -> tensors: what `tf.keras.backend` does other than `tf` itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras.floats import floatx


def _counted(x: Any) -> Any:
    """A tensor; one of truth values as numbers."""
    return tf["cast"](x, floatx()) if x.dtype == "bool" else x


def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The mean over some axes. Booleans count as 0 and 1.

    Args:
        x: a tensor.
        axis: an axis or a list of axes; all by default.
        keepdims: whether these axes are kept with length 1.

    >>> import tapeviz as tf
    >>> float(mean(tf.constant([True, False])))
    0.5
    """
    return tf["reduce_mean"](_counted(x), axis, keepdims)


def std(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The standard deviation over some axes. Booleans count as 0 and 1.

    Args:
        x: a tensor.
        axis: an axis or a list of axes; all by default.
        keepdims: whether these axes are kept with length 1.

    >>> import tapeviz as tf
    >>> float(std(tf.constant([1.0, 3.0])))
    1.0
    """
    return tf["math.reduce_std"](_counted(x), axis, keepdims)


def var(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The variance over some axes. Booleans count as 0 and 1.

    Args:
        x: a tensor.
        axis: an axis or a list of axes; all by default.
        keepdims: whether these axes are kept with length 1.

    >>> import tapeviz as tf
    >>> float(var(tf.constant([1.0, 5.0])))
    4.0
    """
    return tf["math.reduce_variance"](_counted(x), axis, keepdims)


def sqrt(x: Any) -> Any:
    """The square root, elementwise; 0 for negative numbers.

    >>> import tapeviz as tf
    >>> sqrt(tf.constant([4.0, -4.0])).numpy().tolist()
    [2.0, 0.0]
    """
    return tf["sqrt"](tf["maximum"](x, tensor_of(0.0, x.dtype)))


def clip(x: Any, min_value: float | None, max_value: float | None) -> Any:
    """The elements of a tensor, limited to a range.

    Args:
        x: a tensor, or what can become one.
        min_value: the lower bound, or None.
        max_value: the upper bound, or None.

    >>> clip([-2.0, 0.5, 2.0], 0.0, None).numpy().tolist()
    [0.0, 0.5, 2.0]
    """
    if isinstance(min_value, int | float) and isinstance(max_value, int | float):
        max_value = max(min_value, max_value)
    low, high = -np.inf if min_value is None else min_value, np.inf if max_value is None else max_value
    return tf["clip_by_value"](x, low, high)


def cast_to_floatx(x: Any) -> Any:
    """A tensor in the dtype `floatx`; anything but a tensor as an array of that dtype.

    >>> cast_to_floatx([1, 2])
    array([1., 2.], dtype=float32)
    """
    return tf["cast"](x, floatx()) if tf["is_tensor"](x) else np.asarray(x, dtype=floatx())


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: str = "int32") -> Any:
    """Numbers at equal distances, without the end.

    Args:
        start: the first number; if `stop` is missing, the end, and the first number is 0.
        stop: the end, which is not included.
        step: the distance.
        dtype: the dtype of the numbers.

    >>> arange(3).numpy().tolist()
    [0, 1, 2]
    """
    if stop is None and start < 0:
        start = 0
    numbers = tf["range"](start, stop, step)
    return numbers if dtype == "int32" else tf["cast"](numbers, dtype)


def hard_sigmoid(x: Any) -> Any:
    """A piecewise linear approximation of the sigmoid: 0 below -2.5, 1 above 2.5, and a straight line between.

    It differs from `tf.keras.activations.hard_sigmoid`.

    >>> import tapeviz as tf
    >>> float(hard_sigmoid(tf.constant(0.0)))
    0.5
    """
    return tf["clip_by_value"](x * tensor_of(0.2, x.dtype) + tensor_of(0.5, x.dtype), 0.0, 1.0)


def stop_gradient(variables: Any) -> Any:
    """A tensor with the same value, through which no gradient flows; for a list, an iterator over such tensors.

    >>> import tapeviz as tf
    >>> float(stop_gradient(tf.constant(2.0)))
    2.0
    """
    return (
        map(tf["stop_gradient"], variables) if isinstance(variables, list | tuple) else tf["stop_gradient"](variables)
    )


def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
    """One of two values, chosen as a whole by a scalar, or elementwise.

    Args:
        condition: a scalar or a tensor. One with several axes, but fewer than the values, chooses slices along their
            first axes.
        then_expression: the value where it is true, or a function that returns it.
        else_expression: the value where it is false, or a function that returns it.

    Raises:
        ValueError: the condition has more axes than the values.

    >>> import tapeviz as tf
    >>> float(switch(tf.constant(1.0) > 0.0, tf.constant(2.0), lambda: tf.constant(3.0)))
    2.0
    """
    condition = condition if condition.dtype == "bool" else tf["cast"](condition, "bool")
    rank = condition.shape.rank
    if not rank:
        return tf["cond"](condition, _called_later(then_expression), _called_later(else_expression))
    then_expression, else_expression = _called_later(then_expression)(), _called_later(else_expression)()
    wanted = then_expression.shape.rank
    if rank > wanted:
        raise ValueError(
            "Rank of `condition` should be less than or equal to rank of `then_expression` and `else_expression`. "
            f"ndim(condition)={rank}, ndim(then_expression)={wanted}"
        )
    if rank > 1:
        condition = tf["reshape"](condition, [*condition.shape, *[1] * (wanted - rank)])
    return tf["where"](condition, then_expression, else_expression)


def _called_later(value: Any) -> Callable[[], Any]:
    return value if callable(value) else lambda: value


def in_top_k(predictions: Any, targets: Any, k: int) -> Any:
    """Whether the target of each row is among its k largest predictions.

    Args:
        predictions: a matrix.
        targets: an index for each row.
        k: how many predictions count.

    >>> in_top_k([[0.1, 0.9]], [1], 1).numpy().tolist()
    [True]
    """
    return tf["math.in_top_k"](targets, predictions, k)


def map_fn(fn: Callable[..., Any], elems: Any, name: str | None = None, dtype: Any = None) -> Any:
    """The results of a function for each row, stacked: `tf.map_fn`.

    Args:
        fn: a function of one row.
        elems: a tensor, or a structure of tensors with the same number of rows.
        dtype: the dtypes of the results; by default those of `elems`.

    >>> import tapeviz as tf
    >>> map_fn(lambda x: x * x, tf.constant([1.0, 2.0])).numpy().tolist()
    [1.0, 4.0]
    """
    return tf["map_fn"](fn, elems, dtype=dtype, name=name)
