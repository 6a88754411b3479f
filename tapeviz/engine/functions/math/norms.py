"""Lengths of vectors, of matrices and of several tensors together, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.functions.arguments import number_of, tensor_of, together
from tapeviz.engine.functions.exports import EXPORTS, export
from tapeviz.engine.functions.integers import axis_of
from tapeviz.engine.functions.math.complex import conj
from tapeviz.engine.ops import array, joining, losses, math, reduction


@export("norm", "linalg.norm")
def norm(
    tensor: object, ord: Any = "euclidean", axis: Any = None, keepdims: Any = None, name: str | None = None
) -> Any:
    """The norm of a tensor as one vector, of the vectors along an axis, or of the matrices along two axes.

    The gradient of a Euclidean norm is NaN where the norm is 0.

    Args:
        tensor: a tensor, or what can become one.
        ord: "euclidean", 1, 2, `np.inf`, or for vectors another positive number; for matrices also "fro".
        axis: None for all elements as one vector, an integer for vectors, a pair for matrices.
        keepdims: whether the axes are kept with length 1.

    Raises:
        ValueError: the order is not supported, or `axis` is something else.
        TypeError: booleans, strings, or integers with an order that needs a root other than the square root.
        InvalidArgumentError: integers whose square root is needed.

    >>> import tapeviz as tf
    >>> float(tf.norm([3.0, 4.0]))
    5.0
    """
    if axis is not None and not isinstance(axis, int) and not _are_two(axis):
        raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {_shown(axis)}.")
    if not isinstance(ord, (str, float, int)) and not _are_two(axis):
        _require_order(ord)
    x, axis, keepdims = tensor_of(tensor), axis_of(axis, tensor), bool(keepdims)
    if ord == "fro" and (axis is None or isinstance(axis, int) or len(axis) == 1):
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    if ord in ("euclidean", "fro") or (ord == 2 and (axis is None or isinstance(axis, int) or len(axis) == 1)):
        return EXPORTS["sqrt"](reduction.reduce_sum(x * conj(x), axis=axis, keepdims=keepdims))
    size = abs(x)
    if isinstance(axis, tuple) and len(axis) == 2:
        return _largest_stretch(x, axis, keepdims) if ord == 2 else _matrix_norm(size, ord, axis, keepdims)
    if ord == 1:
        return reduction.reduce_sum(size, axis=axis, keepdims=keepdims)
    if ord == np.inf:
        return reduction.reduce_max(size, axis=axis, keepdims=keepdims)
    if isinstance(ord, str) or ord <= 0:
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    return reduction.reduce_sum(size**ord, axis=axis, keepdims=keepdims) ** (1.0 / ord)


def _require_order(ord: Any) -> None:
    """Nothing, or an error for what is no order of a norm of vectors, such as axes: Python's own, for what is asked."""
    try:
        if (not np.isreal(ord) or ord <= 0) and ord not in ("euclidean", 1, 2, np.inf):
            raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    except (ValueError, TypeError) as error:
        raise type(error)(f"{error}. In norm: axes are named, axis={ord!r}.") from None


def _shown(axis: object) -> str:
    """The axes as TensorFlow has them in its errors: a list of two is a tuple by then."""
    return f"{tuple(axis) if isinstance(axis, list) and len(axis) == 2 else axis}"


def _are_two(axis: object) -> bool:
    """Whether it is a list of two different axes."""
    return isinstance(axis, (list, tuple)) and len(axis) == 2 and axis[0] != axis[1] and not np.ndim(axis[0])


def _matrix_norm(size: object, ord: object, axis: tuple[int, ...], keepdims: bool) -> Any:
    if ord not in (1, np.inf):
        raise ValueError(f"'ord' must be a supported matrix norm in ['euclidean', 'fro', 1, 2, inf], got {ord}.")
    summed, largest = axis if ord == 1 else axis[::-1]
    found = reduction.reduce_max(reduction.reduce_sum(size, axis=summed, keepdims=True), axis=(largest,), keepdims=True)
    return found if keepdims else array.squeeze(found, axis=axis)


def _largest_stretch(x: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    """The largest singular value of the matrices along two axes."""
    along = [i % x.ndim for i in axis]
    order = (*(i for i in range(x.ndim) if i not in along), *along)
    values = EXPORTS["linalg.svd"](array.transpose(x, perm=order), compute_uv=False)
    found = reduction.reduce_max(values, axis=-1, keepdims=False)
    shape = tuple(1 if i in along else n for i, n in enumerate(x.shape))
    return array.reshape(found, shape=shape) if keepdims else found


@export("linalg.normalize")
def normalize(
    tensor: object, ord: object = "euclidean", axis: object = None, name: str | None = None
) -> tuple[Any, Any]:
    """A tensor divided by its norm.

    Args:
        tensor: a tensor, or what can become one.
        ord: the order of the norm, as in `tf.norm`.
        axis: the axes of the norm, as in `tf.norm`.

    Returns:
        The quotient, and the norm, with the axes kept with length 1. Both have the dtype of the tensor.

    >>> import tapeviz as tf
    >>> unit, length = tf.linalg.normalize([3.0, 4.0])
    >>> print(unit.numpy(), length.numpy())
    [0.6 0.8] [5.]
    """
    x = tensor_of(tensor)
    length = norm(x, ord, axis, keepdims=True)
    if length._dtype is not x._dtype:  # of complex numbers
        length = array.cast(length, dtype=x._dtype.name, source=length._dtype.name)
    return x / length, length


def values_in(t_list: object) -> list[Any]:
    """The tensors and None of a list; of `IndexedSlices`, their values.

    Raises:
        TypeError: `t_list` is not a list or tuple.
    """
    if not isinstance(t_list, (list, tuple)):
        raise TypeError(f"A global_norm is of a list of tensors, t_list, not of {type(t_list).__name__}: [x].")
    return [each.values if isinstance(each, IndexedSlices) else each for each in t_list]


@export("linalg.global_norm")
def global_norm(t_list: object, name: str | None = None) -> Any:
    """The Euclidean norm of several tensors as a single vector.

    Args:
        t_list: a list of tensors, `IndexedSlices` and None, which is left out.

    Raises:
        TypeError: `t_list` is not a list or tuple.

    >>> import tapeviz as tf
    >>> float(tf.linalg.global_norm([tf.constant([3.0]), tf.constant([4.0])]))
    5.0
    """
    halves = [losses.l2_loss(number_of(each, "global_norm")) for each in values_in(t_list) if each is not None]
    if not halves:
        return tensor_of(0.0)
    return math.sqrt(
        reduction.reduce_sum(joining.stack(*together("global_norm", *halves), axis=0), axis=None, keepdims=False) * 2.0
    )
