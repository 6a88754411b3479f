"""Losses of logits and labels under TensorFlow's names."""

from __future__ import annotations

import math as plain
from typing import Any

import numpy as np

from tapeviz.engine.calling.call import quickened
from tapeviz.engine.custom_gradient import custom_gradient
from tapeviz.engine.functions.arguments import number_of, tensor_of, together
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import one_of
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import activations, array, math
from tapeviz.engine.ops import losses as ops
from tapeviz.engine.table import OPS
from tapeviz.errors import InvalidArgumentError


@export("nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(labels: object = None, logits: object = None, name: str | None = None) -> Any:
    """The cross-entropy between labels and the probabilities `sigmoid(logits)`, elementwise.

    Args:
        labels: a tensor of probabilities.
        logits: a tensor of the same shape and dtype.

    Raises:
        ValueError: the shapes differ, or one of the two is missing.

    >>> import tapeviz as tf
    >>> round(float(tf.nn.sigmoid_cross_entropy_with_logits(labels=1.0, logits=0.0)), 4)
    0.6931
    """
    _require_both("sigmoid_cross_entropy_with_logits", labels, logits)
    x, z = tensor_of(logits), tensor_of(labels)
    _same_shape(x, z, "logits", "labels")
    x, z = together("sigmoid_cross_entropy_with_logits", x, z)
    return ops.sigmoid_cross_entropy(z, x)


def _require_both(op: str, labels: object, logits: object) -> None:
    if labels is None or logits is None:
        received = f"labels={labels} and logits={logits}"
        raise ValueError(f"Both `labels` and `logits` must be provided for {op}Received: {received}")


def _same_shape(x: Any, y: Any, *names: str) -> None:
    if x.shape != y.shape:
        first, second = names
        raise ValueError(f"`{first}` and `{second}` must have the same shape, received ({x.shape} vs {y.shape}).")


@export("nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits(labels: object, logits: object, pos_weight: Any, name: str | None = None) -> Any:
    """The cross-entropy of `tf.nn.sigmoid_cross_entropy_with_logits`, with another weight for positive labels.

    Args:
        labels: a tensor of probabilities.
        logits: a tensor of the same shape and dtype.
        pos_weight: the weight of a positive label, where a negative one has the weight 1.

    Raises:
        ValueError: the shapes differ.

    >>> import tapeviz as tf
    >>> round(float(tf.nn.weighted_cross_entropy_with_logits(1.0, 0.0, pos_weight=2.0)), 4)
    1.3863
    """
    x, z = tensor_of(logits), tensor_of(labels)
    _same_shape(x, z, "logits", "labels")
    weight = 1 + (pos_weight - 1) * z
    return (1 - z) * x + weight * (math.log1p(math.exp(-math.abs(x))) + activations.relu(-x))


@export("nn.log_poisson_loss")
def log_poisson_loss(
    targets: object, log_input: object, compute_full_loss: bool = False, name: str | None = None
) -> Any:
    """The negative log-likelihood of counts that are Poisson distributed, without a constant, elementwise.

    Args:
        targets: the counts.
        log_input: the logarithms of the predicted means, a tensor of the same shape.
        compute_full_loss: whether Stirling's approximation of the constant is added, for counts above 1.

    Raises:
        ValueError: the shapes differ.

    >>> import tapeviz as tf
    >>> float(tf.nn.log_poisson_loss(2.0, 0.0))
    1.0
    """
    x, z = tensor_of(log_input), tensor_of(targets)
    _same_shape(x, z, "log_input", "targets")
    x, z = together("log_poisson_loss", number_of(x, "exp"), z)
    loss = math.exp(x) - x * z
    if not compute_full_loss:
        return loss
    stirling = z * math.log(z) - z + 0.5 * math.log(2 * plain.pi * z)
    return loss + math.where(math.logical_and(z >= 0, z <= 1), math.zeros_like(z), stirling)


_LOSS = "softmax_cross_entropy_with_logits"


@export("nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(labels: object, logits: object, axis: int = -1, name: str | None = None) -> Any:
    """The cross-entropy between labels that are probabilities and the probabilities `softmax(logits)`, along an axis.

    The gradient flows to the labels as well. `tf.stop_gradient` prevents it.

    Args:
        labels: a tensor of probabilities that sum to 1 along the axis.
        logits: a tensor of the same shape. One of the two may be broadcast, but what was broadcast has no gradient.
        axis: the axis of the classes.

    Returns:
        A tensor without that axis.

    Raises:
        InvalidArgumentError: the shapes do not fit, or there is no such axis.

    >>> import tapeviz as tf
    >>> round(float(tf.nn.softmax_cross_entropy_with_logits([0.0, 1.0], [0.0, 0.0])), 4)
    0.6931
    """
    x, z = number_of(logits, _LOSS), tensor_of(labels)
    axis = -1 if axis is None else one_of(axis, ".Tperm", strict=False)
    if x.dtype != z.dtype:
        z = array.cast(z, dtype=x.dtype.name, source=z.dtype.name)
    require(axis >= -1, f"Requires start <= limit when delta > 0: 0/{axis}. In {_LOSS}: an axis counts from the first.")
    limits = f"{axis + 1}/{x.ndim}"
    require(axis == -1 or axis < x.ndim, f"Requires start <= limit when delta > 0: {limits}. In {_LOSS}: no such axis.")
    if not (x.ndim and z.ndim):  # the last of no lengths is cut out
        said = "Expected begin[0] == 0 (got -1) and size[0] == 0 (got 1) when input.dim_size(0) == 0"
        raise InvalidArgumentError(f"{said}. In {_LOSS}: the shapes are {x.shape} and {z.shape}.")
    if axis != -1:
        order = (*(i for i in range(x.ndim) if i != axis), axis)
        x, z = (array.transpose(each, perm=order) for each in (x, z))
    if x.shape == z.shape:
        return ops.softmax_cross_entropy(z, x)
    rows = [(plain.prod(each.shape[:-1]), *each.shape[-1:]) for each in (x, z)]
    if len(rows[1]) < 2 or any(m != n and 1 not in (m, n) for m, n in zip(*rows, strict=True)):
        sizes = f"logits_size={listed(rows[0])} labels_size={listed(rows[1])}"
        raise InvalidArgumentError(
            f"logits and labels must be broadcastable: {sizes}. Their shapes are {x.shape} and {z.shape}.",
        )
    whole = np.broadcast_shapes(*rows)
    flat, labels = (array.reshape(each, shape=shape) for each, shape in zip((x, z), rows, strict=True))
    if rows[0] != rows[1]:
        labels = _stretched(labels, whole)
    if rows[0] != whole:
        flat = _stretched(flat, whole)
    return array.reshape(ops.softmax_cross_entropy(labels, flat), shape=tuple(x.shape[:-1]))


def _stretched(x: Any, shape: tuple[int, ...]) -> Any:
    """A matrix broadcast to a shape, which TensorFlow's gradient does not foresee.

    Raises:
        InvalidArgumentError: when a gradient comes back.
    """

    @custom_gradient
    def stretched(matrix: object) -> Any:
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
def sparse_softmax_cross_entropy_with_logits(labels: object, logits: object, name: str | None = None) -> Any:
    """The cross-entropy between labels that are class indices and the probabilities `softmax(logits)`.

    The classes are the last axis of the logits.

    Args:
        labels: int32 or int64, in the shape of `logits` without its last axis.
        logits: a tensor of floats.

    Returns:
        A tensor of the shape of `labels`.

    Raises:
        ValueError: the shapes do not fit, or one of the two is missing.
        InvalidArgumentError: another dtype.

    >>> import tapeviz as tf
    >>> round(float(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=1, logits=[0.0, 0.0])), 4)
    0.6931
    """
    _require_both("sparse_softmax_cross_entropy_with_logits", labels, logits)
    x, z = tensor_of(logits), tensor_of(labels)
    have, wanted = z._value.shape, x._value.shape[:-1]
    if not x.ndim:
        raise ValueError(f"`logits` cannot be a scalar. Received logits={x._value}`")
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
def l2_loss(t: object, name: str | None = None) -> Any:
    """Half the sum of the squares of all elements.

    >>> import tapeviz as tf
    >>> float(tf.nn.l2_loss([3.0, 4.0]))
    12.5
    """
    return ops.l2_loss(number_of(t, "l2_loss"))
