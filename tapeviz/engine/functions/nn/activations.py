"""Activations with options, and the softmax, under TensorFlow's names; `math/elementwise` has those without."""

from __future__ import annotations

import math as plain
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import number_of, tensor_of
from tapeviz.engine.functions.array.conversions import cast
from tapeviz.engine.functions.array.joining import concat
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import one_of
from tapeviz.engine.ops import activations as ops
from tapeviz.engine.ops import array, math
from tapeviz.errors import InvalidArgumentError


@export("nn.leaky_relu")
def leaky_relu(features: object, alpha: object = 0.2, name: str | None = None) -> Any:
    """x where it is positive, else `alpha` times x, elementwise.

    Args:
        features: a tensor of real numbers. Integers become float32.
        alpha: the slope for negative numbers.

    Raises:
        TypeError: `alpha` is not a Python number.

    >>> import tapeviz as tf
    >>> tf.nn.leaky_relu([-1.0, 2.0], alpha=0.5).numpy().tolist()
    [-0.5, 2.0]
    """
    x = number_of(features, "leaky_relu")
    alpha = 0.2 if alpha is None else alpha
    if not isinstance(alpha, (Real, np.ndarray)):
        raise TypeError(f"Expected float for argument 'alpha' not {alpha!r}. In leaky_relu it is a Python number.")
    if x._value.dtype.kind in "iu":
        x = array.cast(x, dtype="float32", source=x.dtype.name)
    return ops.leaky_relu(x, alpha=_single(alpha))


@export("nn.gelu")
def gelu(features: object, approximate: bool = False, name: str | None = None) -> Any:
    """The Gaussian error linear unit, elementwise: x times the normal distribution function at x.

    Args:
        features: a tensor of floats.
        approximate: whether the distribution function is approximated by a tanh.

    Raises:
        ValueError: another dtype.

    >>> import tapeviz as tf
    >>> round(float(tf.nn.gelu(1.0)), 4)
    0.8413
    """
    x = tensor_of(features)
    if not x.dtype.is_floating:
        raise ValueError(f"gelu takes floats as features, not {x._dtype.name}. Use tf.cast.")
    if approximate:
        inner = plain.sqrt(2 / plain.pi) * (x + _single(0.044715) * x**3)
        return 0.5 * x * (1.0 + math.tanh(inner))
    return 0.5 * x * math.erfc(-x * _single(plain.sqrt(0.5)))


def _single(number: Any) -> float:
    """A number rounded to float32, as TensorFlow's attributes are even beside float64."""
    return float(np.float32(number))


@export("nn.silu", "nn.swish")
def swish(features: object, beta: object = 1.0) -> Any:
    """x times the sigmoid of `beta` times x, elementwise.

    Args:
        features: a tensor of floats.
        beta: a number or a tensor. The gradient flows to a tensor.

    >>> import tapeviz as tf
    >>> round(float(tf.nn.silu(1.0)), 4)
    0.7311
    """
    x = number_of(features, "silu")
    return ops.silu(x, beta=float(beta)) if isinstance(beta, Real) else x * ops.sigmoid(cast(beta, x.dtype) * x)


@export("nn.crelu")
def crelu(features: object, axis: int = -1, name: str | None = None) -> Any:
    """relu(x) and relu(-x), concatenated.

    Args:
        features: a tensor of real numbers of at least one axis.
        axis: the axis along which they are concatenated.

    >>> import tapeviz as tf
    >>> tf.nn.crelu([-1.0, 2.0]).numpy().tolist()
    [0.0, 2.0, 1.0, 0.0]
    """
    x = number_of(features, "crelu")
    return ops.relu(concat([x, -x], axis))


@export("math.log_sigmoid")
def log_sigmoid(x: object, name: str | None = None) -> Any:
    """The logarithm of the sigmoid, elementwise, without overflow.

    >>> import tapeviz as tf
    >>> f"{float(tf.math.log_sigmoid(0.0)):.4f}"
    '-0.6931'
    """
    return -ops.softplus(-number_of(x, "log_sigmoid"))


def _over_axis(op: Callable[..., Any], logits: object, axis: object) -> Any:
    """An op over the last axis, over another one: that one is exchanged with the last."""
    if isinstance(axis, (list, tuple, str)):
        raise TypeError(
            f"'<=' not supported between instances of 'int' and {type(axis).__name__!r}. `axis` is one number."
        )
    x = number_of(logits, op.__name__)
    given = getattr(axis, "_value", axis)
    if given is None or given == -1 or given == x.ndim - 1:  # 1.0 and [1] are as good as 1 here, not for another axis
        return op(x)
    axis = one_of(axis, ".Tperm", strict=False)
    if not -x.ndim <= axis < x.ndim:
        rank = f"in the range [{-x.ndim}, {x.ndim}) where {x.ndim} is the number of dimensions in the input"
        said = f"`dim` must be {rank}. Received: dim={axis}. In {op.__name__} of shape {x.shape}."
        raise InvalidArgumentError(said, at_run=True)
    order = list(range(x.ndim))
    order[axis], order[-1] = order[-1], order[axis]
    swap = tuple(order)
    return array.transpose(op(array.transpose(x, perm=swap)), perm=swap)


@export("nn.softmax", "math.softmax")
def softmax(logits: object, axis: object = None, name: str | None = None) -> Any:
    """The softmax along an axis: exponentials, divided by their sum.

    Args:
        logits: a tensor of floats of at least one axis.
        axis: the axis, the last one by default.

    >>> import tapeviz as tf
    >>> tf.nn.softmax([0.0, 0.0]).numpy().tolist()
    [0.5, 0.5]
    """
    return _over_axis(ops.softmax, logits, axis)


@export("nn.log_softmax", "math.log_softmax")
def log_softmax(logits: object, axis: object = None, name: str | None = None) -> Any:
    """The logarithm of the softmax along an axis, accurate for small probabilities.

    Args:
        logits: a tensor of floats of at least one axis.
        axis: the axis, the last one by default.

    >>> import tapeviz as tf
    >>> print(tf.nn.log_softmax([0.0, 0.0]).numpy())
    [-0.6931472 -0.6931472]
    """
    return _over_axis(ops.log_softmax, logits, axis)
