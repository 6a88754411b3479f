"""The arguments of losses and metrics -> tensors of the same dtype and rank."""

from __future__ import annotations

from typing import Any, Literal

from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.engine.specs.dtypes import as_dtype
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values import constant


def convert_to_tensor(value: Any, dtype: Any) -> Any:
    """An argument as a tensor of a dtype, as Keras converts it.

    A tensor is cast. Python numbers are converted to the dtype directly; `cast` would make float32 of them first.
    """
    wanted = as_dtype(dtype)
    if isinstance(value, TensorLike) or wanted.is_integer or wanted.is_bool:
        return tf["cast"](value, wanted)
    return constant.convert_to_tensor(value, wanted)


def same_rank(x: Any, y: Any) -> tuple[Any, Any]:
    """Two tensors of one rank. If one has an additional last axis of length 1, it is removed, or added to a vector."""
    if abs(x.ndim - y.ndim) != 1:
        return x, y
    longer, shorter = (x, y) if x.ndim > y.ndim else (y, x)
    if longer.shape[-1] == 1:
        if shorter.ndim == 1:
            shorter = tf["expand_dims"](shorter, -1)
        else:
            longer = tf["squeeze"](longer, -1)
    return (longer, shorter) if x.ndim > y.ndim else (shorter, longer)


def pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Labels and predictions as tensors of one rank, both in the dtype of the predictions."""
    y_pred = tensor_of(y_pred)
    return same_rank(convert_to_tensor(y_true, y_pred.dtype), y_pred)


def kind_of_labels(y_true: Any, y_pred: Any) -> Literal["binary", "sparse", "categorical"]:
    """The kind of labels for predictions of this shape: two classes, class numbers, or an entry for each class."""
    if y_pred.shape[-1] == 1:
        return "binary"
    return "sparse" if y_true.ndim < y_pred.ndim or y_true.shape[-1] == 1 else "categorical"


def masked_weights(mask: Any, weights: Any, dtype: Any) -> Any:
    """Weights times a mask. Either may be None."""
    if mask is None:
        return weights
    counted = tf["cast"](mask, dtype)
    return counted if weights is None else tf["multiply"](*same_rank(counted, tf["cast"](weights, dtype)))
