"""A tensor -> one number for each place along the axes that are kept, under TensorFlow's names."""

from __future__ import annotations

from collections.abc import Callable
from types import NoneType
from typing import Any

import numpy as np

from tapeviz.engine.calling.call import quickened
from tapeviz.engine.functions.arguments import dtype_of, number_of, tensor_of
from tapeviz.engine.functions.array.conversions import cast
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import axis_of, one_of
from tapeviz.engine.functions.math.complex import conj, real
from tapeviz.engine.op import Op
from tapeviz.engine.op_dtypes import TAKES
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.ops import array, math
from tapeviz.engine.ops import reduction as ops
from tapeviz.engine.table import OPS
from tapeviz.engine.tensors.tensor_like import TensorLike

_REDUCTIONS = (
    ("reduce_sum", "The sum over some axes."),
    ("reduce_mean", "The mean over some axes. The mean of integers is an integer."),
    ("reduce_max", "The largest number over some axes. Equal numbers share the gradient."),
    ("reduce_min", "The smallest number over some axes. Equal numbers share the gradient."),
    ("reduce_prod", "The product over some axes."),
    ("reduce_any", "Whether any element over some axes is true."),
    ("reduce_all", "Whether all elements over some axes are true."),
    ("reduce_logsumexp", "The logarithm of the sum of the exponentials over some axes, without overflow."),
)


def _reduction(op: Op) -> Callable[..., Any]:
    call, name_of_op = op.call, op.name

    def function(input_tensor: object, axis: object = None, keepdims: bool = False, name: str | None = None) -> Any:
        return call(
            number_of(input_tensor, name_of_op, axis), axis=axis_of(axis, input_tensor), keepdims=bool(keepdims)
        )

    function.__name__ = function.__qualname__ = name_of_op  # by which Python's own errors call it
    return quickened(op, axis=None, keepdims=False)(function)


for _name, _what in _REDUCTIONS:
    _function = _reduction(OPS[_name])
    _function.__doc__ = f"""{_what}

    Args:
        input_tensor: a tensor, or what can become one.
        axis: an axis or a list of axes; all by default.
        keepdims: whether these axes are kept with length 1.
    """
    export(_name, f"math.{_name}")(_function)


@export("math.reduce_euclidean_norm")
def reduce_euclidean_norm(
    input_tensor: object, axis: object = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The Euclidean norm over some axes: the square root of the sum of squares.

    Args:
        input_tensor: a tensor of numbers.
        axis: an axis or a list of axes; all by default.
        keepdims: whether these axes are kept with length 1.

    >>> import tapeviz as tf
    >>> float(tf.math.reduce_euclidean_norm([3.0, 4.0]))
    5.0
    """
    x = number_of(input_tensor, "reduce_euclidean_norm")
    return ops.reduce_euclidean_norm(x, axis=axis_of(axis, input_tensor), keepdims=bool(keepdims))


@export("math.reduce_variance")
def reduce_variance(input_tensor: object, axis: object = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The variance over some axes: the mean of the squared distances from the mean.

    Args:
        input_tensor: a tensor of real or complex numbers.
        axis: an axis or a list of axes; all by default.
        keepdims: whether these axes are kept with length 1.

    Raises:
        TypeError: integers.
        InvalidArgumentError: booleans or strings.

    >>> import tapeviz as tf
    >>> float(tf.math.reduce_variance([1.0, 3.0]))
    1.0
    """
    x = number_of(input_tensor, "reduce_variance")
    axis, keepdims = axis_of(axis, x), bool(keepdims)
    if x.dtype.is_integer:
        ops.reduce_mean(x, axis=axis, keepdims=keepdims)  # which refuses wrong axes first, as in TensorFlow
        raise TypeError(f"reduce_variance and reduce_std take floats, not {x._dtype.name}. Use tf.cast.")
    if x.dtype.is_complex:
        away = x - ops.reduce_mean(x, axis=axis, keepdims=True)
        return ops.reduce_mean(real(conj(away) * away), axis=axis, keepdims=keepdims)
    return ops.reduce_variance(x, axis=axis, keepdims=keepdims)


@export("math.reduce_std")
def reduce_std(input_tensor: object, axis: object = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The standard deviation over some axes: the square root of the variance. Where it is 0, its gradient is NaN.

    Args:
        input_tensor: a tensor of real or complex numbers.
        axis: an axis or a list of axes; all by default.
        keepdims: whether these axes are kept with length 1.

    >>> import tapeviz as tf
    >>> float(tf.math.reduce_std([1.0, 3.0]))
    1.0
    """
    return math.sqrt(reduce_variance(input_tensor, axis, keepdims))


_ONE_DIM = "dim must be a scalar, but received tensor of shape: {shape}"


@export("argmax", "math.argmax")
def argmax(input: object, axis: object = None, output_type: object = "int64", name: str | None = None) -> Any:
    """The index of the largest number along an axis; of equal numbers, the first one. No gradient.

    Args:
        input: a tensor of numbers or booleans.
        axis: the axis, 0 by default.
        output_type: the dtype of the indices.

    Raises:
        TypeError: `axis` is not an integer.

    >>> import tapeviz as tf
    >>> int(tf.argmax([1, 3, 2]))
    1
    """
    if isinstance(axis, TensorLike) and axis._value.dtype not in TAKES["argmax.axis"]:
        raise TypeError(f"axis tensor dtypes {axis.dtype!s} is not supported. In argmax: use tf.cast.")
    if isinstance(axis, (np.ndarray, np.generic)):
        raise TypeError(f"axis tensor dtypes {axis.dtype} is not supported. In argmax: use int({axis}).")
    if not isinstance(axis, (int, TensorLike, NoneType)):
        raise TypeError(f"axis must be int or Tensor with integer datatype, got {axis!r}. In argmax.")
    x, axis = number_of(input, "argmax"), 0 if axis is None else one_of(axis, "argmax.axis", otherwise=_ONE_DIM)
    return ops.argmax(x, axis=axis, output_type=dtype_of(output_type, "argmax.output_type", "int64"))


@export("argmin", "math.argmin")
def argmin(input: object, axis: object = None, output_type: object = "int64", name: str | None = None) -> Any:
    """The index of the smallest number along an axis; of equal numbers, the first one. No gradient.

    Args:
        input: a tensor of numbers or booleans.
        axis: the axis, 0 by default.
        output_type: the dtype of the indices.

    >>> import tapeviz as tf
    >>> int(tf.argmin([1, 3, 2]))
    0
    """
    x = number_of(input, "argmin")
    axis = 0 if axis is None else one_of(axis, ".Tidx", input, otherwise=_ONE_DIM)
    return ops.argmin(x, axis=axis, output_type=dtype_of(output_type, "argmin.output_type", "int64"))


@export("math.count_nonzero")
def count_nonzero(
    input: object, axis: object = None, keepdims: bool = False, dtype: object = "int64", name: str | None = None
) -> Any:
    """The number of elements over some axes that are not 0, False or empty. No gradient.

    Args:
        input: a tensor, or what can become one.
        axis: an axis or a list of axes; all by default.
        keepdims: whether these axes are kept with length 1.
        dtype: the dtype of the counts.

    >>> import tapeviz as tf
    >>> int(tf.math.count_nonzero([0, 2, 0, 3]))
    2
    """
    x = tensor_of(input)
    hit = array.cast(math.not_equal(x, math.zeros_like(x)), dtype="int64", source="bool")
    return cast(ops.reduce_sum(hit, axis=axis_of(axis, hit), keepdims=bool(keepdims)), dtype)


@export("nn.zero_fraction", "math.zero_fraction")
def zero_fraction(value: object, name: str | None = None) -> Any:
    """The fraction of elements that are 0, as float32. No gradient.

    >>> import tapeviz as tf
    >>> float(tf.nn.zero_fraction([0, 2, 0, 3]))
    0.5
    """
    x = tensor_of(value)
    hit = array.cast(math.equal(x, math.zeros_like(x)), dtype="float32", source="bool")
    return ops.reduce_mean(hit, axis=None, keepdims=False)


@export("math.lbeta")
def lbeta(x: object, name: str | None = None) -> Any:
    """The logarithm of the multivariate beta function of the vectors along the last axis.

    Args:
        x: a tensor of floats of at least one axis. The result for a vector of length 0 is -inf.

    Raises:
        InvalidArgumentError: a scalar, or another dtype.

    >>> import tapeviz as tf
    >>> float(tf.math.lbeta([1.0, 2.0]))
    -0.6931...
    """
    x = number_of(x, "lgamma")  # the sum of which it is
    require(x.ndim > 0, "Invalid reduction dimension (-1 for input with 0 dimension(s). In lbeta.")
    of_each = OPS["lgamma"].call(x)
    total = ops.reduce_sum(x, axis=-1, keepdims=False)
    return ops.reduce_sum(of_each, axis=-1, keepdims=False) - OPS["lgamma"].call(total)
