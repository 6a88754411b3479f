"""Activations, losses and normalisation under TensorFlow's names."""

from __future__ import annotations

import math as plain
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from tapeviz.engine.api.arguments import exactly, number_of, require_tensor, tensor_of, together
from tapeviz.engine.api.array import cast
from tapeviz.engine.api.complex import complex, imag, real
from tapeviz.engine.api.integers import axis_of, one_of
from tapeviz.engine.api.joining import concat
from tapeviz.engine.api.table import export
from tapeviz.engine.call import caller, quickened
from tapeviz.engine.custom_gradient import custom_gradient
from tapeviz.engine.dtypes import require
from tapeviz.engine.op import Op
from tapeviz.engine.ops import array, math, picking, reduction
from tapeviz.engine.ops import nn as ops
from tapeviz.engine.refusals import not_convertible
from tapeviz.engine.sentences import listed
from tapeviz.engine.table import OPS
from tapeviz.engine.tensor import TensorLike
from tapeviz.errors import InvalidArgumentError

_ACTIVATIONS = (
    ("relu", "nn.relu", "x where it is positive, else 0; its slope at 0 is 0."),
    ("relu6", "nn.relu6", "x between 0 and 6; its slope at both is 0."),
    ("elu", "nn.elu", "x where it is positive, else exp(x) - 1."),
    ("selu", "nn.selu", "The scaled exponential linear unit."),
    ("softplus", "nn.softplus math.softplus", "log(1 + exp(x)), a smooth relu."),
    ("softsign", "nn.softsign math.softsign", "x / (1 + |x|)."),
)


def _activation(op: Op) -> Callable[..., Any]:
    def checked(features: Any, name: str | None = None) -> Any:
        return op.call(number_of(features, op.name))

    return caller(op, checked)


for _name, _names, _what in _ACTIVATIONS:
    _function = _activation(OPS[_name])
    _function.__name__ = _function.__qualname__ = _name
    _function.__doc__ = f"{_what} Elementwise."
    export(*_names.split())(_function)


@export("nn.leaky_relu")
def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Any:
    """x where it is positive, else alpha x.

    Raises:
        TypeError: an alpha that is no Python number.
    """
    x = number_of(features, "leaky_relu")
    alpha = 0.2 if alpha is None else alpha
    if not isinstance(alpha, (Real, np.ndarray)):
        raise TypeError(f"Expected float for argument 'alpha' not {alpha!r}. In leaky_relu it is a Python number.")
    if x._value.dtype.kind in "iu":
        x = array.cast(x, dtype="float32", source=x.dtype.name)
    return ops.leaky_relu(x, alpha=_single(alpha))


@export("nn.gelu")
def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Any:
    """x times the normal distribution function of x, exact or by its tanh approximation.

    Raises:
        ValueError: numbers that are not floating.
    """
    x = tensor_of(features)
    if not x.dtype.is_floating:
        raise ValueError(f"`features.dtype` must be a floating point tensor.Received:features.dtype={x.dtype!s}")
    if approximate:
        inner = plain.sqrt(2 / plain.pi) * (x + _single(0.044715) * x**3)
        return 0.5 * x * (1.0 + math.tanh(inner))
    return 0.5 * x * math.erfc(-x * _single(plain.sqrt(0.5)))


def _single(number: Any) -> float:
    """A number rounded to float32, as TensorFlow's attributes are even beside float64."""
    return float(np.float32(number))


@export("nn.silu", "nn.swish")
def swish(features: Any, beta: Any = 1.0) -> Any:
    """x times the sigmoid of beta x; the gradient flows to beta, too, if it is a tensor."""
    x = number_of(features, "silu")
    return ops.silu(x, beta=float(beta)) if isinstance(beta, Real) else x * ops.sigmoid(cast(beta, x.dtype) * x)


@export("nn.crelu")
def crelu(features: Any, axis: int = -1, name: str | None = None) -> Any:
    """The relu of x and the relu of -x, joined."""
    x = number_of(features, "crelu")
    return ops.relu(concat([x, -x], axis))


@export("math.log_sigmoid")
def log_sigmoid(x: Any, name: str | None = None) -> Any:
    """The logarithm of the sigmoid."""
    return -ops.softplus(-number_of(x, "log_sigmoid"))


def _over_axis(op: Callable[..., Any], logits: Any, axis: Any) -> Any:
    """An op over the last axis, over another one: that one is exchanged with the last."""
    if isinstance(axis, (list, tuple, str)):
        raise TypeError(
            f"'<=' not supported between instances of 'int' and {type(axis).__name__!r}. `axis` is one number."
        )
    x, axis = number_of(logits, op.__name__), -1 if axis is None else one_of(axis, ".Tperm", strict=False)
    if not x.ndim and axis == -1:
        return op(x)
    if not -x.ndim <= axis < x.ndim:
        rank = f"in the range [{-x.ndim}, {x.ndim}) where {x.ndim} is the number of dimensions in the input"
        said = f"`dim` must be {rank}. Received: dim={axis}. In {op.__name__} of shape {x.shape}."
        raise InvalidArgumentError(said, in_graph=None)
    if axis % x.ndim == x.ndim - 1:
        return op(x)
    order = list(range(x.ndim))
    order[axis], order[-1] = order[-1], order[axis]
    swap = tuple(order)
    return array.transpose(op(array.transpose(x, perm=swap)), perm=swap)


@export("nn.softmax", "math.softmax")
def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """The exponentials along an axis, the last one unless told, divided by their sum.

    >>> import tapeviz as tf
    >>> tf.nn.softmax([0.0, 0.0]).numpy().tolist()
    [0.5, 0.5]
    """
    return _over_axis(ops.softmax, logits, axis)


@export("nn.log_softmax", "math.log_softmax")
def log_softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """The logarithm of the softmax, exact for small probabilities."""
    return _over_axis(ops.log_softmax, logits, axis)


@export("nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Any:
    """The loss of a probability sigmoid(logits) for each label between 0 and 1, elementwise.

    Raises:
        ValueError: labels and logits of different shapes, or without one of them.
    """
    _require_both("sigmoid_cross_entropy_with_logits", labels, logits)
    x, z = tensor_of(logits), tensor_of(labels)
    _same_shape(x, z, "logits", "labels")
    x, z = together("sigmoid_cross_entropy_with_logits", x, z)
    return ops.sigmoid_cross_entropy(z, x)


def _require_both(op: str, labels: Any, logits: Any) -> None:
    if labels is None or logits is None:
        raise ValueError(f"Both `labels` and `logits` must be provided for {op}Received: {labels=} and {logits=}")


def _same_shape(x: Any, y: Any, *names: str) -> None:
    if x.shape != y.shape:
        first, second = names
        raise ValueError(f"`{first}` and `{second}` must have the same shape, received ({x.shape} vs {y.shape}).")


@export("nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any, name: str | None = None) -> Any:
    """`sigmoid_cross_entropy_with_logits` with positive labels weighted by `pos_weight`.

    Raises:
        ValueError: labels and logits of different shapes.
    """
    x, z = tensor_of(logits), tensor_of(labels)
    _same_shape(x, z, "logits", "labels")
    weight = 1 + (pos_weight - 1) * z
    return (1 - z) * x + weight * (math.log1p(math.exp(-math.abs(x))) + ops.relu(-x))


@export("nn.log_poisson_loss")
def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None) -> Any:
    """exp(log_input) - log_input * targets, with Stirling's term for targets above 1 if the full loss is wanted."""
    x, z = tensor_of(log_input), tensor_of(targets)
    _same_shape(x, z, "log_input", "targets")
    x, z = together("log_poisson_loss", x, z)
    loss = math.exp(x) - x * z
    if not compute_full_loss:
        return loss
    stirling = z * math.log(z) - z + 0.5 * math.log(2 * plain.pi * z)
    return loss + math.where(math.logical_and(z >= 0, z <= 1), math.zeros_like(z), stirling)


_LOSS = "softmax_cross_entropy_with_logits"


@export("nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str | None = None) -> Any:
    """The loss of the probabilities softmax(logits) for labels that are probabilities, over an axis.

    Gradients flow into the labels too; `tf.stop_gradient` keeps them out.

    Raises:
        InvalidArgumentError: labels and logits that, as matrices of one row each, do not broadcast to a row for each of
            the logits, or an axis that is not there; when the gradient is computed, what was broadcast.
    """
    x, z = number_of(logits, _LOSS), tensor_of(labels)
    axis = -1 if axis is None else one_of(axis, ".Tperm", strict=False)
    if x.dtype != z.dtype:
        z = array.cast(z, dtype=x.dtype.name, source=z.dtype.name)
    require(axis >= -1, f"Requires start <= limit when delta > 0: 0/{axis}. In {_LOSS}: an axis counts from the first.")
    require(axis < x.ndim > 0, f"{_LOSS}: logits of rank {x.ndim} have no axis {axis}.")
    if axis != -1:
        order = (*(i for i in range(x.ndim) if i != axis), axis)
        x, z = (array.transpose(each, perm=order) for each in (x, z))
    if x.shape == z.shape:
        return ops.softmax_cross_entropy(z, x)
    rows = [(plain.prod(each.shape[:-1]), *each.shape[-1:]) for each in (x, z)]
    if len(rows[1]) < 2 or any(m != n and 1 not in (m, n) for m, n in zip(*rows, strict=True)):
        sizes = f"logits_size={listed(rows[0])} labels_size={listed(rows[1])}"
        raise InvalidArgumentError(
            f"logits and labels must be broadcastable: {sizes}. Their shapes are {x.shape} and {z.shape}."
        )
    whole = np.broadcast_shapes(*rows)
    flat, labels = (array.reshape(each, shape=shape) for each, shape in zip((x, z), rows, strict=True))
    if rows[0] != rows[1]:
        labels = _stretched(labels, whole)
    if rows[0] != whole:
        flat = _stretched(flat, whole)
    return array.reshape(ops.softmax_cross_entropy(labels, flat), shape=tuple(x.shape[:-1]))


def _stretched(x: Any, shape: tuple[int, ...]) -> Any:
    """A matrix broadcast to a shape, of which TensorFlow's gradient does not think.

    Raises:
        InvalidArgumentError: when a gradient comes back.
    """

    @custom_gradient
    def stretched(matrix: Any) -> Any:
        def refuse(upstream: Any) -> Any:
            sizes = f"{plain.prod(upstream.shape)} values, but the requested shape has {plain.prod(x.shape)}"
            raise InvalidArgumentError(
                f"Input to reshape is a tensor with {sizes}. In the gradient of {_LOSS}: there is none of what is "
                "broadcast, use tf.broadcast_to on it."
            )

        return math.broadcast_to(matrix, shape=shape), refuse

    return stretched(x)


@export("nn.sparse_softmax_cross_entropy_with_logits")
@quickened(OPS["sparse_softmax_cross_entropy_with_logits"])
def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Any:
    """The loss of the probabilities softmax(logits) for the index of the right class, over the last axis.

    Raises:
        ValueError: labels whose shape is not that of the logits without the last axis, or without one of the two.
        InvalidArgumentError: labels that are not int32 or int64, or logits that are no floats.
    """
    _require_both("sparse_softmax_cross_entropy_with_logits", labels, logits)
    x, z = tensor_of(logits), tensor_of(labels)
    have, wanted = z._value.shape, x._value.shape[:-1]
    if not x.ndim:
        raise ValueError(f"`logits` cannot be a scalar. Received {logits=}`")
    if len(have) != len(wanted):
        raise ValueError(
            "`labels.shape.rank` must equal `logits.shape.rank - 1`. "
            f"Received: labels.shape={have} of rank {z.ndim} and logits.shape={x.shape} of rank {x.ndim}"
        )
    if have != wanted:
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. "
            f"Received: labels.shape={have} and logits.shape={x.shape}"
        )
    x = number_of(x, "sparse_softmax_cross_entropy_with_logits")
    z = number_of(z, "sparse_softmax_cross_entropy_with_logits.Tlabels")
    return ops.sparse_softmax_cross_entropy(z, x)


@export("nn.l2_loss")
def l2_loss(t: Any, name: str | None = None) -> Any:
    """Half the sum of squares."""
    return ops.l2_loss(number_of(t, "l2_loss"))


@export("nn.l2_normalize", "math.l2_normalize", "linalg.l2_normalize")
def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None) -> Any:
    """The numbers divided by their length over axes, which is taken as at least the root of epsilon.

    `dim` is the old name of `axis`.

    Raises:
        TypeError: whole numbers.
        InvalidArgumentError: truth values or texts.
        ValueError: both names at once.
    """
    if axis is not None and dim is not None:
        raise ValueError("Cannot specify both 'dim' and 'axis'.")
    axis = dim if axis is None else axis
    x = number_of(x, "square")
    if x.dtype.is_integer:
        raise not_convertible(epsilon, x._value.dtype, "It is the epsilon of l2_normalize: use tf.cast on x")
    parts = (real(x), imag(x)) if x.dtype.is_complex else (x,)
    squares = [reduction.reduce_sum(math.square(each), axis=axis_of(axis, x), keepdims=True) for each in parts]
    scale = math.rsqrt(math.maximum(sum(squares[1:], squares[0]), epsilon))
    scaled = [each * scale for each in parts]
    return complex(*scaled) if len(scaled) > 1 else scaled[0]


@export("nn.moments")
def moments(x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None) -> tuple[Any, Any]:
    """Mean and variance over axes.

    Raises:
        AttributeError: `x` is a list or a number.
        TypeError: axes in a tensor or an array, whose lengths are not kept.
    """
    require_tensor("moments", "dtype", x)
    if not keepdims and isinstance(axes, (TensorLike, np.ndarray)):
        raise TypeError(f"Expected list for 'axis' argument to 'squeeze' Op, not {axes!r}. Give `axes` as a list.")
    x, axes = number_of(x, "reduce_mean"), axis_of(axes, x)
    mean = reduction.reduce_mean(x, axis=axes, keepdims=True)
    away = math.squared_difference(x, array.stop_gradient(mean))
    variance = reduction.reduce_mean(away, axis=axes, keepdims=True)
    if keepdims:
        return mean, variance
    axes = (axes,) if isinstance(axes, int) else axes
    return array.squeeze(mean, axis=axes), array.squeeze(variance, axis=axes)


@export("nn.bias_add")
def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Any:
    """A vector added along the last axis, or along the second one for "NCHW".

    Raises:
        InvalidArgumentError: a bias that is no vector of that axis's length.
        ValueError: a `data_format` that begins or ends otherwise.
    """
    x, b = together("bias_add", value, bias)
    b = tensor_of(b)
    first = data_format is not None and data_format.startswith("NC")
    if not (first or data_format is None or (data_format.startswith("N") and data_format.endswith("C"))):
        raise ValueError(f"`data_format` must be of the form `N...C` or `NC...`. Received: data_format={data_format}")
    if b.ndim != 1 or x.ndim < 2 or b.shape[0] != x.shape[1 if first else -1]:
        raise InvalidArgumentError(f"{_unfit(x.shape, b.shape, first)}. In bias_add.")
    return x + array.reshape(b, shape=(-1,) + (1,) * (x.ndim - 2)) if first else x + b


def _unfit(x: Any, bias: Any, channels_first: bool) -> str:
    """What is said of a bias and a value that do not fit one another."""
    if len(x) < 2:
        return f"Input tensor must be at least 2D: {listed(x)}"
    if len(bias) != 1:
        return f"Biases must be 1D: {listed(bias)}"
    axis = "channel" if channels_first else "last"
    return f"Must provide as many biases as the {axis} dimension of the input tensor: {listed(bias)} vs. {listed(x)}"


@export("nn.batch_normalization")
def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any, name: str | None = None
) -> Any:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset, in the dtype of x; offset and scale may be None.

    Raises:
        AttributeError: `x` is a list or a number.
    """
    require_tensor("batch_normalization", "dtype", x)
    x = number_of(x, "batch_normalization")
    inverse = math.rsqrt(tensor_of(variance + variance_epsilon))
    inverse = inverse if scale is None else inverse * scale
    shift = -mean * inverse if offset is None else offset - mean * inverse
    return x * cast(inverse, x.dtype) + cast(shift, x.dtype)


@export("math.in_top_k", "nn.in_top_k")
def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Any:
    """Whether each row's target is among its k largest predictions. No gradient.

    Raises:
        InvalidArgumentError: other ranks than 1 and 2, or not one target for each row.
    """
    z, rows = number_of(targets, "in_top_k"), exactly(predictions, "float32", "in_top_k", 0, targets)
    require(rows.ndim == 2, f"predictions must be 2-dimensional. In in_top_k: they are of shape {rows.shape}.")
    require(z.ndim == 1, f"targets must be 1-dimensional. In in_top_k: they are of shape {z.shape}.")
    if z.shape[0] != rows.shape[0]:
        lengths = f"First dimension of predictions {rows.shape[0]} must match length of targets {z.shape[0]}"
        raise InvalidArgumentError(f"{lengths}. In in_top_k.")
    return picking.in_top_k(z, rows, k=one_of(k, "in_top_k", strict=True, otherwise="k must be 0-D, got shape {shape}"))
