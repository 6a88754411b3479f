"""How often a number or a pair of classes occurs, under TensorFlow's names."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import number_of, tensor_of
from tapeviz.engine.functions.array.conversions import cast
from tapeviz.engine.functions.array.creation import ones
from tapeviz.engine.functions.array.joining import stack
from tapeviz.engine.functions.exports import EXPORTS, export
from tapeviz.engine.functions.integers import flag_of, int32_of, int_of
from tapeviz.engine.op_errors.dtypes import wrong_dtype
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import array, picking, searching
from tapeviz.engine.specs.dtypes import as_dtype
from tapeviz.engine.values.constant import make
from tapeviz.engine.values.convert import unboxed

_COUNTS = ("int32", "int64", "float32", "float64")


@export("math.bincount")
def bincount(
    arr: object,
    weights: object = None,
    minlength: object = None,
    maxlength: object = None,
    dtype: object = "int32",
    name: str | None = None,
    axis: object = None,
    binary_output: bool = False,
) -> Any:
    """The number of times that each integer occurs, or the sum of its weights. No gradient.

    Args:
        arr: a tensor of integers of at least 0.
        weights: a weight for each of them.
        minlength: the least length of the result, which is filled up with zeros.
        maxlength: the greatest length: larger integers are not counted.
        dtype: the dtype of the counts; sums have that of the weights.
        axis: None or 0 for all integers together, -1 for each row separately.
        binary_output: whether each integer is counted at most once.

    Returns:
        A tensor whose last axis has an entry for 0, 1, and so on.

    Raises:
        InvalidArgumentError: an integer is negative, the weights have another shape (without rows:
            another number), or the dtype cannot be counted in.
        ValueError: another `axis`, or weights together with `binary_output`.

    >>> import tapeviz as tf
    >>> tf.math.bincount([0, 2, 2]).numpy().tolist()
    [1, 0, 2]
    """
    if axis not in (None, 0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    if binary_output and weights is not None:
        raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.")
    numbers = tensor_of(arr)
    numbers = number_of(numbers if numbers.dtype.is_integer else cast(numbers, "int32"), "bincount.Tidx")
    counted = np.asarray(numbers._value).astype(np.int64)
    require(
        int(counted.min(initial=0)) >= 0,
        "bincount counts from 0: there is a negative number. Add tf.abs, or an offset.",
        at_run=True,
    )
    length = max(int(np.max(counted, initial=-1)) + 1, 0 if minlength is None else _length(minlength, arr))
    length = length if maxlength is None else min(length, _length(maxlength, arr))
    shares = None if weights is None else number_of(weights, "bincount")
    if shares is not None and not shares._value.size:
        dtype, shares = shares.dtype, None
    by_row, shape = axis == -1, () if shares is None else shares.shape
    require(
        shares is None or (shape == numbers.shape if by_row else prod(shape) == prod(numbers.shape)),
        "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all weights equal "
        f"to 1. Received {listed(shape)}. In bincount of numbers of shape {numbers.shape}.",
        at_run=True,
    )
    wanted = np.dtype(as_dtype(dtype).as_numpy_dtype) if shares is None else shares._value.dtype
    if wanted.name not in _COUNTS:
        raise wrong_dtype("bincount", wanted)
    given = make(unboxed(np.ones((), wanted))) if shares is None else shares
    if shares is not None and shape != numbers.shape:
        given = array.reshape(shares, shape=tuple(numbers.shape))
    binary = flag_of(binary_output, "binary_output")
    return searching.bincount(numbers, given, length=length, by_row=by_row and numbers.ndim > 1, binary=binary)


def _length(bound: object, counted: object) -> int:
    return int32_of(bound, "bincount", counted, otherwise="Shape must be rank 0 but is rank {rank}. In bincount.")


@export("math.confusion_matrix")
def confusion_matrix(
    labels: object,
    predictions: object,
    num_classes: object = None,
    weights: object = None,
    dtype: object = "int32",
    name: str | None = None,
) -> Any:
    """The number of examples of each class (row) that were predicted as each class (column).

    Args:
        labels: a vector of the true classes.
        predictions: a vector of the predicted classes.
        num_classes: the number of classes; by default one more than the largest class.
        weights: a weight for each example, added up in place of counts.
        dtype: the dtype of the matrix.

    Raises:
        InvalidArgumentError: a class is negative or not less than `num_classes`, or the vectors have different lengths.
        ValueError: the weights have another shape.

    >>> import tapeviz as tf
    >>> tf.math.confusion_matrix([0, 1, 1], [0, 1, 0]).numpy().tolist()
    [[1, 0], [1, 1]]
    """
    rows, columns = (np.asarray(cast(each, "int64")._value) for each in (labels, predictions))
    rows, columns = _one_column_less(rows, columns), _one_column_less(columns, rows)
    pairs = {"labels": make(rows), "predictions": make(columns)}
    for what, classes in pairs.items():
        EXPORTS["debugging.assert_non_negative"](classes, message=f"`{what}` contains negative values")
    if num_classes is not None:
        for what, classes in pairs.items():
            EXPORTS["debugging.assert_less"](classes, cast(num_classes, "int64"), message=f"`{what}` out of bound")
    kind = as_dtype(dtype)
    shares = None if weights is None else tensor_of(weights)
    if shares is not None and shares.shape != columns.shape:
        raise ValueError(f"Shapes {columns.shape} and {shares.shape} are incompatible: predictions and their weights.")
    places = stack(list(pairs.values()), axis=1)
    count = int(max(rows.max(), columns.max()) + 1) if num_classes is None else int_of(num_classes)
    shares = ones(rows.shape, kind) if shares is None else shares
    if shares.dtype != kind:
        shares = array.cast(shares, dtype=kind.name, source=shares.dtype.name)
    return picking.scatter_nd(shares, places, shape=(count, count), batch_dims=0)


def _one_column_less(classes: Any, others: Any) -> Any:
    """Classes without the last axis, of length 1, that the others have not."""
    return classes[..., 0] if classes.ndim == others.ndim + 1 and classes.shape[-1] == 1 else classes
