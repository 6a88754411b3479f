"""The op table: losses of neural networks."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.calling.define import defop
from tapeviz.engine.facts import Facts
from tapeviz.engine.kernels import elementary
from tapeviz.engine.kernels.eigen_math import FEW
from tapeviz.engine.kernels.elementwise import flush, is_few
from tapeviz.engine.kernels.reduce import added
from tapeviz.engine.kernels.softmax import softmax as softmax_of_rows
from tapeviz.engine.ops.activations import (
    above_relu,
    away_and_total,
    log_softmax,
    logistic,
    sigmoid,
    sigmoid_grad,
    softmax,
    softmax_rule,
)
from tapeviz.engine.ops.array import column
from tapeviz.engine.specs.dtype_sets import FLOATS
from tapeviz.engine.specs.dtypes import Array
from tapeviz.engine.values.convert import unboxed
from tapeviz.errors import InvalidArgumentError


def _logistic_loss(labels: Array, logits: Array) -> Any:
    return np.maximum(logits, logits.dtype.type(0)) - logits * labels + above_relu(logits)


def _shares(logits: Array) -> Any:
    """The softmax, computed as in the losses."""
    if not is_few(logits):
        return softmax_of_rows(logits)
    away, total = away_and_total(logits)
    return elementary.exp(away) / total


def _cross_entropy(labels: Array, logits: Array) -> Any:
    away, total = away_and_total(logits)
    return added(labels * (elementary.log(total) - away), -1)


_FEW_CLASSES = 32
"""The largest number of classes for which it is faster to compute class by class than row by row.

Not in float16, of which NumPy rounds every step of a sum but along a row.
"""


def _sparse_cross_entropy_and_slope(labels: Array, logits: Array) -> tuple[Any, Any]:
    """The losses, and their derivatives by the logits: the softmax, less 1 for the right class.

    In between the rows lie one after the other, or the classes; `over` is the axis of the classes.
    """
    _check_labels(labels, logits)
    rows, few = logits.reshape(-1, logits.shape[-1]), is_few(logits)
    by_class = rows.shape[1] <= _FEW_CLASSES and rows.dtype.itemsize > 2 and not few
    away, over = (rows.T.copy(), 0) if by_class else (rows.copy(), 1)
    if away.size:
        away -= np.maximum.reduce(away, over, keepdims=True)
    right = _places(labels.reshape(-1), away.shape, over)
    chosen = away.take(right)
    if few:  # TensorFlow works the powers out twice, in its registers for themselves and for a sum
        powers, total = elementary.exp(away), added(elementary.exp.by_row(away), 1, True)
        losses = elementary.log.by_row(total)[:, 0] - chosen
    else:
        powers = np.exp(away, away)
        total = added(powers, over, True)
        losses = np.log(total).reshape(-1) - chosen
    powers /= total
    flush(powers).put(right, powers.take(right) - 1)
    return unboxed(losses.reshape(labels.shape)), (powers.T if by_class else powers).reshape(logits.shape)


def _check_labels(labels: Array, logits: Array) -> None:
    if labels.shape != logits.shape[:-1]:
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. "
            f"Received: labels.shape={labels.shape} and logits.shape={logits.shape}"
        )
    if labels.dtype.char not in "ilq":
        raise TypeError(f"The labels must be int32 or int64, not {labels.dtype.name}.")


def _places(labels: Array, shape: tuple[int, int], over: int) -> Any:
    """The flat indices of the right class of each row, in an array of this shape with the classes along `over`.

    Raises:
        InvalidArgumentError: one is no class.
    """
    examples, labels = np.arange(shape[1 - over]), labels.astype(np.intp, copy=False)
    try:
        return np.ravel_multi_index((examples, labels) if over else (labels, examples), shape)
    except ValueError:
        wrong = labels.min() if labels.min() < 0 else labels.max()
        raise InvalidArgumentError(
            f"Received a label value of {wrong} which is outside the valid range of [0, {shape[over]}).  "
            f"Label values: {' '.join(map(str, labels))}",
            at_run=True,
        ) from None


sparse_softmax_cross_entropy_grad = defop(
    "sparse_softmax_cross_entropy_grad",
    lambda labels, logits: _sparse_cross_entropy_and_slope(labels, logits)[1],
    Facts(over="all"),
    labels=None,
    logits=lambda g, logits: softmax_rule(g, softmax(logits)),
)
softmax_cross_entropy_grad = defop(
    "softmax_cross_entropy_grad",
    lambda labels, logits: _shares(logits) - labels,
    Facts(over="rows", rounds_once=True),
    labels=lambda g: -g,
    logits=lambda g, logits: softmax_rule(g, softmax(logits)),
)


def _logistic_slope(u: Array, labels: Array, logits: Array) -> Any:
    """For few numbers, by the steps of TensorFlow's gradient of the loss."""
    if logits.size > FEW:
        return u * (logistic(logits) - labels)
    power = elementary.exp(-np.abs(logits))
    share = u * (1 / (1 + power)) * power
    return unboxed(np.where(logits >= 0, u - u * labels - share, share - u * labels))


sigmoid_cross_entropy_grad = defop(
    "sigmoid_cross_entropy_grad",
    _logistic_slope,
    u=lambda g, labels, logits: sigmoid_cross_entropy_grad(g, labels, logits),
    labels=lambda g, u: -(g * u),
    logits=lambda g, u, logits: sigmoid_grad(g * u, sigmoid(logits)),
)
sigmoid_cross_entropy = defop(
    "sigmoid_cross_entropy_with_logits",
    _logistic_loss,
    Facts(seed_shape="exact", dtypes=FLOATS),
    labels=lambda g, logits: -g * logits,
    logits=lambda g, labels, logits: sigmoid_cross_entropy_grad(g, labels, logits),
)
softmax_cross_entropy = defop(
    "softmax_cross_entropy_with_logits",
    lambda labels, logits: unboxed(_cross_entropy(labels, logits)),
    Facts(over="all", rounds_once=True, dtypes=FLOATS),
    labels=lambda g, logits: -column(g) * log_softmax(logits),
    logits=lambda g, labels, logits: column(g) * softmax_cross_entropy_grad(labels, logits),
)


def _sparse_slope(labels: object, logits: object, residual: object) -> Any:
    return sparse_softmax_cross_entropy_grad(labels, logits) if residual is None else residual


sparse_softmax_cross_entropy = defop(
    "sparse_softmax_cross_entropy_with_logits",
    lambda labels, logits: _sparse_cross_entropy_and_slope(labels, logits)[0],
    Facts(seed_shape="broadcast", over="all", dtypes=FLOATS),
    forward=_sparse_cross_entropy_and_slope,
    labels=None,
    logits=lambda g, labels, logits, residual: column(g) * _sparse_slope(labels, logits, residual),
)
l2_loss = defop(
    "l2_loss",
    lambda x: added(x * x / 2, None),  # a sum that is halved afterwards may have overflown
    Facts(seed_shape="broadcast", over="all", dtypes=FLOATS),
    x=lambda g, x: g * x,
)
