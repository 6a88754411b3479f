"""Tensors -> tensors: what `tf.keras.backend` does other than `tf` itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from string import ascii_letters
from typing import Any

import numpy as np

from tapeviz.engine.api import EXPORTS as tf
from tapeviz.engine.api.arguments import tensor_of
from tapeviz.keras.floats import floatx


def _counted(x: Any) -> Any:
    """A tensor; one of truth values as numbers."""
    return tf["cast"](x, floatx()) if x.dtype == "bool" else x


def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The mean over axes, of truth values too.

    >>> import tapeviz as tf
    >>> float(mean(tf.constant([True, False])))
    0.5
    """
    return tf["reduce_mean"](_counted(x), axis, keepdims)


def std(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The standard deviation over axes, of truth values too.

    >>> import tapeviz as tf
    >>> float(std(tf.constant([1.0, 3.0])))
    1.0
    """
    return tf["math.reduce_std"](_counted(x), axis, keepdims)


def var(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The variance over axes, of truth values too.

    >>> import tapeviz as tf
    >>> float(var(tf.constant([1.0, 5.0])))
    4.0
    """
    return tf["math.reduce_variance"](_counted(x), axis, keepdims)


def sqrt(x: Any) -> Any:
    """The square root, 0 of negative numbers.

    >>> import tapeviz as tf
    >>> sqrt(tf.constant([4.0, -4.0])).numpy().tolist()
    [2.0, 0.0]
    """
    return tf["sqrt"](tf["maximum"](x, tensor_of(0.0, x.dtype)))


def clip(x: Any, min_value: float | None, max_value: float | None) -> Any:
    """x where it lies between two numbers, else the nearer of them; None is no bound.

    >>> clip([-2.0, 0.5, 2.0], 0.0, None).numpy().tolist()
    [0.0, 0.5, 2.0]
    """
    if isinstance(min_value, int | float) and isinstance(max_value, int | float):
        max_value = max(min_value, max_value)
    low, high = -np.inf if min_value is None else min_value, np.inf if max_value is None else max_value
    return tf["clip_by_value"](x, low, high)


def cast_to_floatx(x: Any) -> Any:
    """A tensor in the dtype `floatx`; of anything else, an array.

    >>> cast_to_floatx([1, 2])
    array([1., 2.], dtype=float32)
    """
    return tf["cast"](x, floatx()) if tf["is_tensor"](x) else np.asarray(x, dtype=floatx())


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: str = "int32") -> Any:
    """Numbers from `start`, or from 0 up to it.

    >>> arange(3).numpy().tolist()
    [0, 1, 2]
    """
    if stop is None and start < 0:
        start = 0
    numbers = tf["range"](start, stop, step)
    return numbers if dtype == "int32" else tf["cast"](numbers, dtype)


def flatten(x: Any) -> Any:
    """All numbers in one row.

    >>> flatten([[1, 2], [3, 4]]).shape
    TensorShape([4])
    """
    return tf["reshape"](x, [-1])


def batch_flatten(x: Any) -> Any:
    """All numbers of each example in one row.

    >>> import tapeviz as tf
    >>> batch_flatten(tf.ones([2, 3, 4])).shape
    TensorShape([2, 12])
    """
    return tf["reshape"](x, [-1, tf["reduce_prod"](tf["shape"](x)[1:])])


def concatenate(tensors: Sequence[Any], axis: int = -1) -> Any:
    """Tensors one behind the other.

    >>> import tapeviz as tf
    >>> concatenate([tf.ones([2, 1]), tf.zeros([2, 2])]).shape
    TensorShape([2, 3])
    """
    if axis < 0:
        axis %= tensors[0].shape.rank or 1
    return tf["concat"](tensors, axis)


def squeeze(x: Any, axis: int) -> Any:
    """x without an axis of length 1.

    >>> squeeze([[1, 2]], 0).shape
    TensorShape([2])
    """
    return tf["squeeze"](x, [axis])


def reverse(x: Any, axes: int | Sequence[int]) -> Any:
    """x backwards along axes.

    >>> reverse([1, 2], 0).numpy().tolist()
    [2, 1]
    """
    return tf["reverse"](x, [axes] if isinstance(axes, int) else axes)


def tile(x: Any, n: int | Sequence[int]) -> Any:
    """x again and again along each axis.

    >>> tile([1, 2], 2).numpy().tolist()
    [1, 2, 1, 2]
    """
    return tf["tile"](x, [n] if isinstance(n, int) else n)


def repeat(x: Any, n: int) -> Any:
    """Each row n times, along a new axis between the two.

    Raises:
        ValueError: x has not two axes.

    >>> import tapeviz as tf
    >>> repeat(tf.ones([2, 3]), 4).shape
    TensorShape([2, 4, 3])
    """
    if x.shape.rank != 2:
        raise ValueError(f"Expected input `x` to have rank 2. Received: rank(x)={x.shape.rank}")
    return tf["tile"](tf["expand_dims"](x, 1), [1, n, 1])


def repeat_elements(x: Any, rep: int, axis: int) -> Any:
    """Each slice along an axis so many times.

    >>> import tapeviz as tf
    >>> repeat_elements(tf.constant([1, 2]), 2, 0).numpy().tolist()
    [1, 1, 2, 2]
    """
    return tf["repeat"](x, rep, axis)


def dot(x: Any, y: Any) -> Any:
    """The matrix product; with more axes, of the last of x with the last but one of y.

    >>> import tapeviz as tf
    >>> dot(tf.ones([2, 3]), tf.ones([4, 3, 5])).shape
    TensorShape([2, 4, 5])
    """
    if max(x.shape.rank, y.shape.rank) > 2:
        return tf["tensordot"](x, y, [[-1], [-2]])
    return tf["matmul"](x, y)


def batch_dot(x: Any, y: Any, axes: Any = None) -> Any:
    """For each example, the product of x and y summed over one axis of each, counted with the examples'.

    Raises:
        ValueError: too few axes, or examples or axes that do not fit.

    >>> import tapeviz as tf
    >>> batch_dot(tf.ones([2, 3]), tf.ones([2, 3]), axes=1).numpy().tolist()
    [[3.0], [3.0]]
    """
    shapes = [tuple(each.shape) for each in (x, y)]
    given = f"Received inputs with tf.shapes {x.shape} and {y.shape}."
    if min(map(len, shapes)) < 2:
        raise ValueError(f"Cannot do batch_dot on inputs with rank < 2. {given}")
    if shapes[0][0] != shapes[1][0]:
        raise ValueError(f"Cannot do batch_dot on inputs with different batch sizes. {given}")
    if axes is None:
        axes = (-1, -1 if len(shapes[1]) == 2 else -2)
    pairs = list(zip([axes] * 2 if isinstance(axes, int) else axes, shapes, strict=True))
    summed = [each + len(shape) * (each < 0) for each, shape in pairs]
    if any(not 0 <= axis < len(shape) for axis, shape in zip(summed, shapes, strict=True)):
        raise ValueError(f"Cannot do batch_dot over axes that are not there: axes={axes}. {given}")
    if 0 in summed:
        raise ValueError(
            "Cannot perform batch_dot over axis 0. If your inputs are not batched, add a dummy batch dimension to your "
            "inputs using keras.ops.expand_dims(x, 0)"
        )
    if shapes[0][summed[0]] != shapes[1][summed[1]]:
        raise ValueError(f"Cannot do batch_dot on inputs with tf.shapes {x.shape} and {y.shape} with axes={axes}.")
    letters = iter(ascii_letters[2:])
    parts = [
        ["a", *("b" if axis == own else next(letters) for axis in range(1, len(shape)))]
        for own, shape in zip(summed, shapes, strict=True)
    ]
    kept = "".join(letter for part in parts for letter in part if letter not in "ab")
    product = tf["einsum"](f"{''.join(parts[0])},{''.join(parts[1])}->a{kept}", x, y)
    return product if kept else tf["expand_dims"](product, 1)


def hard_sigmoid(x: Any) -> Any:
    """A straight line from 0 at -2.5 to 1 at 2.5, and flat outside: not that of `tf.keras.activations`.

    >>> import tapeviz as tf
    >>> float(hard_sigmoid(tf.constant(0.0)))
    0.5
    """
    return tf["clip_by_value"](x * tensor_of(0.2, x.dtype) + tensor_of(0.5, x.dtype), 0.0, 1.0)


def stop_gradient(variables: Any) -> Any:
    """The same values, for which there are no gradients; of a list, one after the other.

    >>> import tapeviz as tf
    >>> float(stop_gradient(tf.constant(2.0)))
    2.0
    """
    return (
        map(tf["stop_gradient"], variables) if isinstance(variables, list | tuple) else tf["stop_gradient"](variables)
    )


def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
    """One of two values or of what two functions return, chosen as a whole or number by number.

    A condition with fewer axes than the values, but more than one, chooses along the first of theirs.

    Raises:
        ValueError: a condition with more axes than the values.

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
    """Whether each target is among the k classes that are predicted first.

    >>> in_top_k([[0.1, 0.9]], [1], 1).numpy().tolist()
    [True]
    """
    return tf["math.in_top_k"](targets, predictions, k)


def map_fn(fn: Callable[..., Any], elems: Any, name: str | None = None, dtype: Any = None) -> Any:
    """What a function makes of each slice, stacked.

    >>> import tapeviz as tf
    >>> map_fn(lambda x: x * x, tf.constant([1.0, 2.0])).numpy().tolist()
    [1.0, 4.0]
    """
    return tf["map_fn"](fn, elems, dtype=dtype, name=name)
