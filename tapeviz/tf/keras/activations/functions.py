"""Tensors -> activations: the functions at the end of a layer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.tf.keras.activations.probabilities import Probabilities
from tapeviz.tf.keras.symbolic.operations import on_placeholders

nn = {name.removeprefix("nn."): function for name, function in EXPORTS.items() if name.startswith("nn.")}


def linear(x: Any) -> Any:
    """The input, unchanged.

    >>> linear(3.0)
    3.0
    """
    return x


@on_placeholders("ReLU", "activations.activations")
def relu(x: Any, negative_slope: float = 0.0, max_value: float | None = None, threshold: float = 0.0) -> Any:
    """x where it is above a threshold, and 0 below it, with options.

    Args:
        x: a tensor, or what can become one.
        negative_slope: below the threshold, what the distance to it is multiplied by.
        max_value: the largest result; none by default.
        threshold: the threshold.

    >>> relu([-1.0, 2.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 2.], dtype=float32)>
    """
    x, slopes, starts = tensor_of(x), negative_slope != 0, threshold != 0
    if slopes and max_value is None and not starts:
        return nn["leaky_relu"](x, **({} if negative_slope is None else {"alpha": negative_slope}))
    if starts:
        y = EXPORTS["where"](x > EXPORTS["cast"](threshold, x.dtype), x, 0)
    else:
        y = nn["relu6"](x) if max_value == 6 else nn["relu"](x)
    if max_value is not None and (starts or max_value != 6):
        y = EXPORTS["clip_by_value"](y, 0.0, EXPORTS["cast"](max_value, x.dtype))
    return y - negative_slope * nn["relu"](threshold - x) if slopes else y


@on_placeholders("Sigmoid")
def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x)), elementwise.

    >>> float(sigmoid(0.0))
    0.5
    """
    x = tensor_of(x)
    return Probabilities.of(nn["sigmoid"](x), x)


@on_placeholders("Softmax")
def softmax(x: Any, axis: int | Sequence[int] | None = -1) -> Any:
    """The softmax: exponentials, divided by their sum.

    Args:
        x: a tensor or an array.
        axis: the axis of the sum, a list of axes, or None for all.

    Raises:
        AttributeError: `x` is a list or a number.

    >>> import tapeviz as tf
    >>> softmax(tf.zeros([1, 2])).numpy().tolist()
    [[0.5, 0.5]]
    """
    if not hasattr(x, "shape"):
        raise AttributeError(f"{type(x).__name__!r} object has no attribute 'shape'. In softmax: use tf.constant.")
    x = tensor_of(x)
    return Probabilities.of(_over("softmax", x, axis), x)


def _over(name: str, x: Any, axes: int | Sequence[int] | None) -> Any:
    """A function of `tf.nn` over an axis; over several, or all, which are put last and made one for the while.

    Raises:
        InvalidArgumentError: there is no such axis.
        ValueError: there is no such one of several.
    """
    if not (axes is None or isinstance(axes, (tuple, list))):
        return nn[name](x, axis=axes)
    wrong = [axis for axis in axes or () if not -x.ndim <= axis < x.ndim]
    if wrong:
        raise ValueError(f"axis {wrong[0]} is out of bounds for an array with dimension {x.ndim}.")
    chosen = [axis % x.ndim for axis in (range(x.ndim) if axes is None else axes)]
    order = [axis for axis in range(x.ndim) if axis not in chosen] + chosen
    turned = EXPORTS["transpose"](x, order)
    rows = EXPORTS["reshape"](turned, [*turned.shape[: x.ndim - len(chosen)], -1])
    return EXPORTS["transpose"](EXPORTS["reshape"](nn[name](rows), turned.shape), np.argsort(order).tolist())


@on_placeholders("LeakyRelu")
def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    """x where it is positive, else a slope times x, elementwise.

    Args:
        x: a tensor, or what can become one.
        negative_slope: the slope.

    >>> float(leaky_relu(-1.0, negative_slope=0.5))
    -0.5
    """
    return nn["leaky_relu"](x, alpha=negative_slope)


@on_placeholders("Gelu")
def gelu(x: Any, approximate: bool = False) -> Any:
    """The Gaussian error linear unit, elementwise: x times the normal distribution function at x.

    Args:
        x: a tensor, or what can become one.
        approximate: whether the distribution function is approximated by a tanh.

    >>> float(gelu(0.0))
    0.0
    """
    return nn["gelu"](x, approximate)


def mish(x: Any) -> Any:
    """x * tanh(softplus(x)), elementwise.

    >>> float(mish(0.0))
    0.0
    """
    x = tensor_of(x)
    return x * EXPORTS["tanh"](nn["softplus"](x))


@on_placeholders("Elu")
def elu(x: Any, alpha: float = 1.0) -> Any:
    """x where it is positive, else `alpha * (exp(x) - 1)`, elementwise.

    Args:
        x: a tensor, or what can become one.
        alpha: the factor.

    >>> float(elu(-100.0, alpha=0.5))
    -0.5
    """
    y = nn["elu"](x)
    return y if alpha == 1 else EXPORTS["where"](tensor_of(x) > 0, y, alpha * y)


@on_placeholders("LogSoftmax")
def log_softmax(x: Any, axis: int | Sequence[int] | None = -1) -> Any:
    """The logarithm of the softmax, accurate for small probabilities.

    Args:
        x: a tensor, or what can become one.
        axis: the axis of the sum, a list of axes, or None for all.

    Raises:
        InvalidArgumentError: there is no such axis.
        ValueError: an axis of a list does not exist.

    >>> round(float(log_softmax([[0.0, 0.0]])[0, 0]), 4)
    -0.6931
    """
    return _over("log_softmax", tensor_of(x), axis)


_PROMOTED = {"b": "float32", "i": "float32", "u": "float32", "c": "complex64"}
"""What Keras computes numbers of a kind in, where it promotes dtypes."""


def _same(name: str, kind: str, at_zero: float, *, of_integers: bool = False) -> Callable[[Any], Any]:
    """A function of `tf` as an activation, perhaps `of_integers` too; its documentation shows its value at [0].

    On placeholders it is an operation of a kind.
    """
    inner = EXPORTS[name]

    def function(x: Any) -> Any:
        if of_integers:
            x = tensor_of(x)
            if x.dtype.name == "string":
                raise ValueError(f"dtype='string' is not a valid dtype for Keras type promotion. In {name}.")
            x = EXPORTS["cast"](x, _PROMOTED[x._value.dtype.kind]) if x._value.dtype.kind in _PROMOTED else x
        return inner(x)

    function.__name__ = function.__qualname__ = {"exp": "exponential"}.get(name, name.rpartition(".")[2])
    what = (inner.__doc__ or "").partition("\n")[0]
    function.__doc__ = f"{what}\n\n    >>> round(float({function.__name__}([0.0])[0]), 4)\n    {at_zero}\n    "
    return on_placeholders(kind, "ops.numpy" if kind in ("Tanh", "Exp") else "ops.nn")(function)


tanh, selu = _same("tanh", "Tanh", 0.0, of_integers=True), _same("nn.selu", "Selu", 0.0)
softplus, softsign, silu = (
    _same("nn.softplus", "Softplus", 0.6931),
    _same("nn.softsign", "Softsign", 0.0),
    _same("nn.silu", "Silu", 0.0),
)
relu6, exponential = _same("nn.relu6", "Relu6", 0.0), _same("exp", "Exp", 1.0, of_integers=True)
swish = silu
