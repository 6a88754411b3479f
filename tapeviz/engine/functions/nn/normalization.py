"""Normalisation under TensorFlow's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import number_of, require_tensor, tensor_of
from tapeviz.engine.functions.array.conversions import cast
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import axis_of
from tapeviz.engine.functions.math.complex import complex, imag, real
from tapeviz.engine.op_errors.conversions import not_convertible
from tapeviz.engine.ops import array, math, reduction
from tapeviz.engine.tensors.tensor_like import TensorLike


@export("nn.l2_normalize", "math.l2_normalize", "linalg.l2_normalize")
def l2_normalize(
    x: object, axis: object = None, epsilon: float = 1e-12, name: str | None = None, dim: object = None
) -> Any:
    """A tensor divided by its Euclidean norm over some axes.

    Args:
        x: a tensor of floats or complex numbers.
        axis: an axis or a list of axes; all by default.
        epsilon: the squared norm counts as at least this.
        dim: the old name of `axis`.

    Raises:
        TypeError: integers.
        InvalidArgumentError: booleans or strings.
        ValueError: both `axis` and `dim`.

    >>> import tapeviz as tf
    >>> print(tf.nn.l2_normalize([3.0, 4.0]).numpy())
    [0.6 0.8]
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
def moments(
    x: object, axes: object, shift: object = None, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """The mean and the variance over some axes.

    Args:
        x: a tensor of numbers.
        axes: a list of axes.
        shift: ignored.
        keepdims: whether these axes are kept with length 1.

    Returns:
        The mean and the variance.

    Raises:
        AttributeError: `x` is a list or a number.
        TypeError: `axes` is a tensor or an array, and `keepdims` is false.

    >>> import tapeviz as tf
    >>> mean, variance = tf.nn.moments(tf.constant([1.0, 3.0]), [0])
    >>> float(mean), float(variance)
    (2.0, 1.0)
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


@export("nn.batch_normalization")
def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: object, variance_epsilon: Any, name: str | None = None
) -> Any:
    """A tensor, normalized by a mean and a variance: (x - mean) / sqrt(variance + variance_epsilon) * scale + offset.

    Args:
        x: a tensor, whose dtype the result has.
        mean: the mean, which broadcasts to `x`.
        variance: the variance.
        offset: what is added at the end, or None.
        scale: the factor, or None.
        variance_epsilon: a small number that prevents a division by 0.

    Raises:
        AttributeError: `x` is a list or a number.
        TypeError: `mean` or `variance` is a list.

    >>> import tapeviz as tf
    >>> float(tf.nn.batch_normalization(tf.constant(3.0), 1.0, 4.0, None, None, 0.0))
    1.0
    """
    inverse = math.rsqrt(tensor_of(variance + variance_epsilon))
    require_tensor("batch_normalization", "dtype", x)
    x = tensor_of(x)
    inverse = inverse if scale is None else inverse * scale
    shift = -mean * inverse if offset is None else offset - mean * inverse
    return x * cast(inverse, x.dtype) + cast(shift, x.dtype)
