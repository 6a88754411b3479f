"""Tensors -> sums and products of several of them, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.functions.arguments import require_tensor, tensor_of, together
from tapeviz.engine.functions.exports import EXPORTS, export
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import array
from tapeviz.engine.ops import math as ops
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.errors import InvalidArgumentError


@export("add_n", "math.add_n")
def add_n(inputs: Any, name: str | None = None) -> Any:
    """The sum of a list of tensors. Nothing is broadcast.

    Args:
        inputs: tensors of one shape and dtype.

    Raises:
        ValueError: the list is empty, or None is in it.
        TypeError: `inputs` is not a list.
        InvalidArgumentError: the tensors have different dtypes or shapes.

    >>> import tapeviz as tf
    >>> float(tf.add_n([1.0, 2.0, 3.0]))
    6.0
    """
    tensors = [each if each is None else tensor_of(each) for each in inputs]
    if not tensors or any(each is None for each in tensors):
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape."
        )
    return ops.add_n(*together("add_n", *tensors)) if len(tensors) > 1 else convert_to_tensor(tensors[0])


@export("nn.bias_add")
def bias_add(value: object, bias: object, data_format: str | None = None, name: str | None = None) -> Any:
    """A tensor plus a vector along the axis of the channels.

    Args:
        value: a tensor of at least two axes.
        bias: a vector with a number for each channel.
        data_format: where the channels are: the second axis for a format that begins with "NC", else the last axis.

    Raises:
        InvalidArgumentError: `bias` is not a vector, or its length is not the number of channels.
        ValueError: an unknown `data_format`.

    >>> import tapeviz as tf
    >>> tf.nn.bias_add([[1.0, 2.0]], [10.0, 20.0]).numpy().tolist()
    [[11.0, 22.0]]
    """
    x, b = map(tensor_of, together("bias_add", value, bias))
    first = data_format is not None and data_format.startswith("NC")
    if not (first or data_format is None or (data_format.startswith("N") and data_format.endswith("C"))):
        raise ValueError(f"`data_format` must be of the form `N...C` or `NC...`. Received: data_format={data_format}")
    if b.ndim != 1 or x.ndim < 2 or b.shape[0] != x.shape[1 if first else -1]:
        raise InvalidArgumentError(f"{_unfit(x.shape, b.shape, first)}. In bias_add.")
    return x + array.reshape(b, shape=(-1,) + (1,) * (x.ndim - 2)) if first else x + b


def _unfit(x: Any, bias: Any, channels_first: bool) -> str:
    """What is said of a bias and a value that do not fit one another."""
    if len(x) < 2:
        return f"Input tensor must be at least 2D: {listed(x)}"
    if len(bias) != 1:
        return f"Biases must be 1D: {listed(bias)}"
    axis = "channel" if channels_first else "last"
    return f"Must provide as many biases as the {axis} dimension of the input tensor: {listed(bias)} vs. {listed(x)}"


@export("scalar_mul", "math.scalar_mul")
def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """A scalar times a tensor.

    Args:
        scalar: a number, or a scalar tensor of the dtype of `x`.
        x: a tensor, an array or `IndexedSlices`, which stay `IndexedSlices`.

    Raises:
        ValueError: `scalar` is not a scalar, or a tensor of another dtype.
        TypeError: `scalar` is a number that the dtype cannot hold.
        AttributeError: `x` is a list or a number.

    >>> import tapeviz as tf
    >>> tf.scalar_mul(2.0, tf.constant([1.0, 3.0])).numpy().tolist()
    [2.0, 6.0]
    """
    require_tensor("scalar_mul", "dtype", x)
    fits = isinstance(scalar, TensorLike) and scalar._dtype == x.dtype
    factor = scalar if fits else convert_to_tensor(scalar, x.dtype, name="scalar")
    if factor.ndim:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {factor.shape}.")
    if isinstance(x, IndexedSlices):
        return x._with(scalar_mul(factor, x.values))
    return EXPORTS["multiply"](x, factor)


@export("math.polyval")
def polyval(coeffs: object, x: object, name: str | None = None) -> Any:
    """The value of a polynomial, by Horner's method.

    Args:
        coeffs: a list of the coefficients, the one of the highest power first.
        x: where the polynomial is evaluated.

    Raises:
        ValueError: `coeffs` is not a list.

    >>> import tapeviz as tf
    >>> float(tf.math.polyval([2.0, 0.0, 1.0], 3.0))
    19.0
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"polyval takes its coeffs as a list, not as {type(coeffs).__name__}: [coeffs].")
    x = tensor_of(x)
    if not coeffs:
        return ops.zeros_like(x)
    total = tensor_of(coeffs[0])
    for each in coeffs[1:]:
        total = tensor_of(each) + total * x
    return total
