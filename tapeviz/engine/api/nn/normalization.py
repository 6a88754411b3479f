"""Normalisation under TensorFlow's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.api.arguments import number_of, require_tensor, tensor_of
from tapeviz.engine.api.array.conversions import cast
from tapeviz.engine.api.exports import export
from tapeviz.engine.api.integers import axis_of
from tapeviz.engine.api.math.complex import complex, imag, real
from tapeviz.engine.op_errors.conversions import not_convertible
from tapeviz.engine.ops import array, math, reduction
from tapeviz.engine.tensors.tensor_like import TensorLike


@export("nn.l2_normalize", "math.l2_normalize", "linalg.l2_normalize")
def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None) -> Any:
    """The tensor divided by its norm over axes, which is taken as at least sqrt(epsilon).

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


@export("nn.batch_normalization")
def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any, name: str | None = None
) -> Any:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset, in the dtype of x; offset and scale may be None.

    Raises:
        AttributeError: `x` is a list or a number.
        TypeError: `mean` or `variance` is a list.
    """
    inverse = math.rsqrt(tensor_of(variance + variance_epsilon))
    require_tensor("batch_normalization", "dtype", x)
    x = tensor_of(x)
    inverse = inverse if scale is None else inverse * scale
    shift = -mean * inverse if offset is None else offset - mean * inverse
    return x * cast(inverse, x.dtype) + cast(shift, x.dtype)
