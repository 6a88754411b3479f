"""Activations in pieces, for a range of x each, and their smooth relatives: shrinks, steps and gates."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras.symbolic.operations import on_placeholders


@on_placeholders("HardSigmoid")
def hard_sigmoid(x: Any) -> Any:
    """A piecewise linear approximation of the sigmoid: 0 below -3, 1 above 3, and a straight line between.

    >>> float(hard_sigmoid(0.0))
    0.5
    """
    return tf["nn.relu6"](tensor_of(x) + 3.0) / 6.0


@on_placeholders("HardSilu")
def hard_silu(x: Any) -> Any:
    """x times `hard_sigmoid(x)`.

    >>> float(hard_silu(3.0))
    3.0
    """
    x = tensor_of(x)
    return x * hard_sigmoid(x)


@on_placeholders("HardTanh")
def hard_tanh(x: Any) -> Any:
    """x, at least -1 and at most 1.

    >>> float(hard_tanh(2.0))
    1.0
    """
    return tf["clip_by_value"](x, -1.0, 1.0)


@on_placeholders("TanhShrink")
def tanh_shrink(x: Any) -> Any:
    """x - tanh(x).

    >>> float(tanh_shrink(0.0))
    0.0
    """
    x = tensor_of(x)
    return x - tf["tanh"](x)


@on_placeholders("HardShrink")
def hard_shrink(x: Any, threshold: float = 0.5) -> Any:
    """x where it is further than `threshold` from 0, else 0.

    >>> hard_shrink([-1.0, 0.25]).numpy().tolist()
    [-1.0, 0.0]
    """
    x = tensor_of(x)
    return tf["where"](tf["abs"](x) > threshold, x, tf["zeros_like"](x))


@on_placeholders("SoftShrink")
def soft_shrink(x: Any, threshold: float = 0.5) -> Any:
    """x, `threshold` nearer to 0; 0 where it is not so far away.

    >>> soft_shrink([-1.0, 0.25]).numpy().tolist()
    [-0.5, 0.0]
    """
    x = tensor_of(x)
    negative = tf["where"](x < -threshold, x + threshold, tf["zeros_like"](x))
    return tf["where"](x > threshold, x - threshold, negative)


@on_placeholders("Threshold")
def threshold(x: Any, threshold: float, default_value: float) -> Any:
    """x where it is above `threshold`, else `default_value`.

    >>> threshold([1.0, 3.0], 2.0, 0.5).numpy().tolist()
    [0.5, 3.0]
    """
    x = tensor_of(x)
    return tf["where"](x > threshold, x, default_value)


@on_placeholders("Celu")
def celu(x: Any, alpha: float = 1.0) -> Any:
    """x where it is positive, else alpha (exp(x / alpha) - 1).

    >>> float(celu(2.0))
    2.0
    """
    x = tensor_of(x)
    return tf["maximum"](x, 0.0) + alpha * tf["math.expm1"](tf["minimum"](x, 0.0) / alpha)


@on_placeholders("Glu")
def glu(x: Any, axis: int = -1) -> Any:
    """The first half along an axis, times the sigmoid of the second (gated linear unit).

    Raises:
        ValueError: there are no two halves.

    >>> glu([4.0, 0.0]).numpy().tolist()
    [2.0]
    """
    x = tensor_of(x)
    if x.shape[axis] % 2:
        raise ValueError(f"axis size must be divisible by 2. Received: x.shape={x.shape} with axis={axis}")
    values, gates = tf["split"](x, 2, axis=axis)
    return values * tf["sigmoid"](gates)


@on_placeholders("LogSigmoid")
def log_sigmoid(x: Any) -> Any:
    """The logarithm of the sigmoid, without its roundings.

    >>> round(float(log_sigmoid(0.0)), 4)
    -0.6931
    """
    return tf["math.log_sigmoid"](tensor_of(x))


@on_placeholders("Squareplus")
def squareplus(x: Any, b: float = 4) -> Any:
    """(x + sqrt(x² + b)) / 2, like `softplus` without exponentials.

    >>> float(squareplus(0.0))
    1.0
    """
    x = tensor_of(x)
    return (x + tf["sqrt"](tf["square"](x) + tf["cast"](b, x.dtype))) / 2


@on_placeholders("SparsePlus")
def sparse_plus(x: Any) -> Any:
    """0 up to -1, x from 1 on, and a parabola between the two.

    >>> sparse_plus([-2.0, 0.0, 2.0]).numpy().tolist()
    [0.0, 0.25, 2.0]
    """
    x = tensor_of(x)
    return tf["where"](x <= -1, tf["zeros_like"](x), tf["where"](x < 1, 0.25 * tf["pow"](x + 1, 2), x))


@on_placeholders("SparseSigmoid")
def sparse_sigmoid(x: Any) -> Any:
    """A straight line from 0 at -1 to 1 at 1, and flat outside.

    >>> sparse_sigmoid([-2.0, 0.0, 2.0]).numpy().tolist()
    [0.0, 0.5, 1.0]
    """
    x = tensor_of(x)
    zero, one = (tf["cast"](each, x.dtype) for each in (0.0, 1.0))
    return tf["where"](x <= -1, zero, tf["where"](x >= 1, one, 0.5 * (x + 1)))


@on_placeholders("Sparsemax")
def sparsemax(x: Any, axis: int = -1) -> Any:
    """A softmax along an axis that gives exact zeros.

    Where one number is far above the others, these are the nearest probabilities to x. For others, Keras on TensorFlow
    subtracts too much, and gives too little or only zeros; so does this.

    >>> sparsemax([3.0, 1.0, 0.5]).numpy().tolist()
    [1.0, 0.0, 0.0]
    """
    x = tensor_of(x)
    ordered = tf["sort"](x, direction="DESCENDING", axis=axis)
    sums = tf["cumsum"](ordered, axis=axis)
    shape = [1] * x.ndim
    shape[axis] = -1
    places = tf["reshape"](tf["cast"](np.arange(1, x.shape[axis] + 1), x.dtype), shape)
    support = ordered - (sums - 1) / places > 0
    count = tf["reduce_sum"](tf["cast"](support, x.dtype), axis=axis, keepdims=True)
    kept = tf["reduce_sum"](tf["where"](support, sums, 0.0), axis=axis, keepdims=True)
    return tf["maximum"](x - (kept - 1) / count, 0.0)


hard_swish = hard_silu
