"""The main diagonal of matrices and tensors, under TensorFlow's names."""

from __future__ import annotations

from math import prod
from typing import Any

from tapeviz.engine.functions.arguments import number_of, tensor_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.linalg.diagonals import diag_part
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import array, reduction
from tapeviz.engine.ops import linalg as ops


@export("linalg.trace")
def trace(x: object, name: str | None = None) -> Any:
    """The sum of the main diagonal of a matrix, or of each matrix in a batch.

    >>> import tapeviz as tf
    >>> float(tf.linalg.trace([[1.0, 2.0], [3.0, 4.0]]))
    5.0
    """
    return reduction.reduce_sum(number_of(diag_part(tensor_of(x)), "reduce_sum"), axis=-1, keepdims=False)


@export("linalg.tensor_diag")
def tensor_diag(diagonal: object, name: str | None = None) -> Any:
    """A tensor of twice the rank with the given elements on its diagonal, and 0 elsewhere.

    Args:
        diagonal: a tensor of at least one axis.

    >>> import tapeviz as tf
    >>> tf.linalg.tensor_diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    x = number_of(diagonal, "tensor_diag")
    require(x.ndim > 0, "Input must be at least rank 1, got 0, in tensor_diag.")
    return array.reshape(ops.diag(array.reshape(x, shape=(-1,))), shape=(*x.shape, *x.shape))


@export("linalg.tensor_diag_part")
def tensor_diag_part(input: object, name: str | None = None) -> Any:
    """The diagonal of a tensor, the inverse of `tf.linalg.tensor_diag`.

    Args:
        input: a tensor whose shape is some lengths, followed by the same lengths.

    Raises:
        InvalidArgumentError: another shape.

    >>> import tapeviz as tf
    >>> tf.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy().tolist()
    [1, 4]
    """
    x = number_of(input, "tensor_diag_part")
    half = x.ndim // 2
    require(x.ndim % 2 == 0, f"The rank of the tensor should be even and positive, got shape {listed(x.shape)}")
    for i in range(half):
        alike = x.shape[i] == x.shape[half + i]
        require(alike, f"Invalid shape {listed(x.shape)}: dimensions {i} and {half + i} do not match.")
    count = prod(x.shape[:half])
    return array.reshape(ops.diag_part(array.reshape(x, shape=(count, count))), shape=tuple(x.shape[:half]))
