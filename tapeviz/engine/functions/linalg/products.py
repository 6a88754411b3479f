"""Matrices -> their products and transposes, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.calling.call import quickened
from tapeviz.engine.functions.arguments import number_of, tensor_of, together
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import flag_of
from tapeviz.engine.ops import array
from tapeviz.engine.ops import linalg as ops
from tapeviz.engine.ops.complex import adjoint
from tapeviz.engine.specs.dtypes import as_dtype
from tapeviz.engine.table import OPS
from tapeviz.errors import NotFoundError


@export("matmul", "linalg.matmul")
@quickened(OPS["matmul"])
def matmul(
    a: object,
    b: object,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: object = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Any:
    """The product of two matrices, or of each pair of matrices in two batches.

    Args:
        a: a tensor of shape (..., n, k).
        b: a tensor of shape (..., k, m). The leading axes are broadcast.
        transpose_a: whether the matrices of `a` are transposed first.
        transpose_b: whether those of `b` are.
        adjoint_a: whether the matrices of `a` are transposed and conjugated first.
        adjoint_b: whether those of `b` are.
        a_is_sparse: ignored, as are `b_is_sparse`, `grad_a` and `grad_b`.
        output_type: the dtype of the product; int32 is possible for int8.

    Returns:
        A tensor of shape (..., n, m).

    Raises:
        InvalidArgumentError: an argument is not a matrix, the shapes do not fit, or the dtype has no products.
        NotFoundError: there is no product of this `output_type`.
        TypeError: a setting is not a bool.
        ValueError: a matrix is to be both transposed and adjoint.

    >>> import tapeviz as tf
    >>> tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy().tolist()
    [[11.0]]
    """
    for which, transposed, adjoined in (("a", transpose_a, adjoint_a), ("b", transpose_b, adjoint_b)):
        if transposed and adjoined:
            raise ValueError(
                f"Only one of `transpose_{which}` and `adjoint_{which}` can be True. "
                f"Received `transpose_{which}`={transposed}, `adjoint_{which}`={adjoined}."
            )
    if output_type is not None:
        a, b = (_widened(tensor_of(each), as_dtype(output_type).name) for each in (a, b))
    x, y = together("matmul", tensor_of(a), b)
    settings = {"adj_x": adjoint_a, "adj_y": adjoint_b}  # those of TensorFlow's op, of batches
    if max(x.ndim, y.ndim) <= 2:
        number_of(x, "matmul()")
        settings = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    for setting, given in settings.items():
        flag_of(given, setting)
    if output_type is not None and as_dtype(output_type) is not x._dtype:
        raise NotFoundError(f"Could not find device for node: matmul of {x.dtype.name} gives no {output_type}.")
    turned = bool(transpose_a or adjoint_a), bool(transpose_b or adjoint_b)
    if any(turned) and min(x.ndim, y.ndim) > 1 and x.shape[-2 if turned[0] else -1] != y.shape[-1 if turned[1] else -2]:
        raise ops.incompatible(tuple(x.shape), tuple(y.shape), turned)
    if min(x.ndim, y.ndim) > 1:  # otherwise they have no product, which the op says
        x = adjoint(x) if adjoint_a else ops.matrix_transpose(x) if transpose_a else x
        y = adjoint(y) if adjoint_b else ops.matrix_transpose(y) if transpose_b else y
    return ops.matmul(x, y)


_WIDER = {"int8": "int32"}
"""By the dtype of factors, the wider one that a product of them may have."""


def _widened(factor: Any, wanted: str) -> Any:
    narrow = factor.dtype.name
    return array.cast(factor, dtype=wanted, source=narrow) if _WIDER.get(narrow) == wanted else factor


@export("linalg.matvec")
def matvec(
    a: object,
    b: object,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The product of a matrix and a vector, or of each pair in two batches.

    Args:
        a: a tensor of shape (..., n, k).
        b: a tensor of shape (..., k).
        transpose_a: whether the matrices are transposed first.
        adjoint_a: whether the matrices are transposed and conjugated first.
        a_is_sparse: ignored, as is `b_is_sparse`.

    Returns:
        A tensor of shape (..., n).

    >>> import tapeviz as tf
    >>> tf.linalg.matvec([[1.0, 2.0]], [3.0, 4.0]).numpy().tolist()
    [11.0]
    """
    x, y = together("matmul", tensor_of(a), tensor_of(b))
    product = matmul(x, array.expand_dims(tensor_of(y), axis=-1), transpose_a, adjoint_a=adjoint_a)
    return array.squeeze(product, axis=(-1,))


@export("linalg.matrix_transpose")
def matrix_transpose(a: object, name: str = "matrix_transpose", conjugate: bool = False) -> Any:
    """A tensor with its last two axes exchanged.

    Args:
        a: a tensor of at least two axes.
        conjugate: whether complex numbers are conjugated as well.

    Raises:
        ValueError: a vector or a scalar.

    >>> import tapeviz as tf
    >>> tf.linalg.matrix_transpose([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    x = tensor_of(a)
    if x.ndim < 2:
        raise ValueError(
            f"Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = {x._value} with shape: {x.shape}"
        )
    return (adjoint if conjugate else ops.matrix_transpose)(x)


@export("linalg.adjoint")
def conjugate_transpose(matrix: object, name: str | None = None) -> Any:
    """A tensor with its last two axes exchanged and its numbers conjugated.

    >>> import tapeviz as tf
    >>> tf.linalg.adjoint([[1 + 2j, 3j]]).numpy().tolist()
    [[(1-2j)], [-3j]]
    """
    return matrix_transpose(matrix, conjugate=True)
